# Everybody's balances at the end of a year, in days and with names, as a pandas DataFrame:
#
#   ROLLCALL_URL=… ROLLCALL_KEY=… python3 balances.py 2026-12-31
import os
import sys
from urllib.request import Request, urlopen

import pandas as pd


def frame(path):
    """A whole list: one request, and no page is missed."""
    headers = {"x-api-key": os.environ["ROLLCALL_KEY"], "accept": "text/csv"}
    with urlopen(Request(os.environ["ROLLCALL_URL"] + path, headers=headers)) as response:
        # Only an empty cell is null: somebody may be called NA.
        return pd.read_csv(response, keep_default_na=False, na_values=[""], encoding="utf-8")


balances = frame(f"/v1/time_off/balances?endDate={sys.argv[1]}")
workers = frame("/v1/workers?statuses=active")
policies = frame("/v1/time_off/policies")

table = balances.merge(workers, left_on="workerId", right_on="id", suffixes=("", "_worker"))
table = table.merge(policies, left_on="policyId", right_on="id", suffixes=("", "_policy"))
left = table["accruedUnlocked"] + table["accruedLocked"] - table["used"] - table["holds"]
table["days"] = left.mask(table["isUnlimited"], 0) / 480
# With the id, because two people may have the same name.
days = table.pivot_table(index=["displayName", "workerId"], columns="name", values="days", aggfunc="sum")
print(days.round(2).to_csv(), end="")
