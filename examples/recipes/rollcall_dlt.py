# A company's data in step in a warehouse, with dlt (https://dlthub.com): docs/recipes/dlt.md.
#
#   ROLLCALL_URL=… ROLLCALL_KEY=… python3 rollcall_dlt.py          what changed since the last run
#   ROLLCALL_URL=… ROLLCALL_KEY=… python3 rollcall_dlt.py --full   everything again
import os
import sys

import dlt
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import APIKeyAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from dlt.sources.rest_api import rest_api_resources

URL, KEY = os.environ["ROLLCALL_URL"], os.environ["ROLLCALL_KEY"]
LISTS = ["departments", "workplaces", "holidays", "workers", "policies", "requests", "assignments"]


@dlt.resource(
    primary_key="id",
    write_disposition="merge",
    # A row that is marked so is deleted from its table.
    columns={"removed": {"data_type": "bool", "hard_delete": True}},
)
def changes():
    """The change feed: everything once, and then what changed. dlt stores the position with the rows, or neither."""
    client = RESTClient(base_url=URL, auth=APIKeyAuth(name="x-api-key", api_key=KEY))
    paginator = JSONResponseCursorPaginator(cursor_path="position", cursor_param="after", has_more_path="hasMore")
    state = dlt.current.resource_state()
    params = {"resources": ",".join(LISTS), "limit": 1000}
    if "position" in state:
        params["after"] = state["position"]
    for page in client.paginate("v1/changes", params=params, paginator=paginator, data_selector="data"):
        for entry in page:
            row = entry["object"] or {"id": entry["id"]}
            yield dlt.mark.with_table_name({**row, "removed": entry["removed"]}, entry["resource"])
        state["position"] = page.response.json()["position"]


# Balances depend on the day, so all of them are read in each run.
balances = rest_api_resources(
    {
        "client": {
            "base_url": URL,
            "auth": {"type": "api_key", "name": "x-api-key", "api_key": KEY, "location": "header"},
            "paginator": "header_link",
        },
        "resources": [
            {
                "name": "balances",
                "primary_key": "id",
                "write_disposition": "replace",
                "endpoint": {"path": "v1/time_off/balances", "params": {"limit": 100}, "data_selector": "data"},
            }
        ],
    }
)

if __name__ == "__main__":
    pipeline = dlt.pipeline(
        pipeline_name="rollcall",
        destination=os.environ.get("ROLLCALL_DESTINATION", "duckdb"),
        dataset_name="rollcall",
    )
    refresh = "drop_sources" if "--full" in sys.argv else None
    pipeline.run([changes, *balances], refresh=refresh)
    print(pipeline.last_trace.last_normalize_info.row_counts)
