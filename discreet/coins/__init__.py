# SPDX-License-Identifier: Apache-2.0
"""Every random bit: words (`Bits`) and the exact laws made of them (`Coins`)."""
