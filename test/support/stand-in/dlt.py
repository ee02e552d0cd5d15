# For machines without dlt: as much of it as examples/recipes/rollcall_dlt.py needs, done as dlt 1.26 does it. Tables and state are a
# JSON file, named by ROLLCALL_DESTINATION.
import json
import os
import sys
from types import ModuleType, SimpleNamespace
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

FILE = os.environ["ROLLCALL_DESTINATION"]
store = {"tables": {}, "state": {}}
if os.path.exists(FILE):
    with open(FILE) as file:
        store = json.load(file)


class Page(list):
    def __init__(self, rows, body, link):
        super().__init__(rows)
        self.response = SimpleNamespace(json=lambda: body)
        self.link = link


class RESTClient:
    def __init__(self, base_url, auth):
        self.base_url, self.headers = base_url, {auth.name: auth.api_key}

    def get(self, url, data_selector):
        with urlopen(Request(url, headers=self.headers)) as response:
            body, link = json.load(response), response.headers.get("link", "")
        links = [part.split(";")[0].strip(" <>") for part in link.split(",") if 'rel="next"' in part]
        return Page(body[data_selector], body, urljoin(url, links[0]) if links else None)

    def paginate(self, path, params, data_selector, paginator=None):
        url = f"{self.base_url.rstrip('/')}/{path}"
        params = dict(params)
        address = f"{url}?{urlencode(params)}"
        while address is not None:
            page = self.get(address, data_selector)
            yield page
            if paginator is None:
                address = page.link
                continue
            body = page.response.json()
            params[paginator.cursor_param] = body[paginator.cursor_path]
            address = f"{url}?{urlencode(params)}" if body[paginator.has_more_path] else None


def api_key_auth(name, api_key, location="header"):
    assert location == "header"
    return SimpleNamespace(name=name, api_key=api_key)


def resource(primary_key, write_disposition, columns):
    marks = [name for name, column in columns.items() if column.get("hard_delete")]
    assert write_disposition == "merge"

    def decorate(rows):
        def load():
            for table_name, row in rows():
                table = store["tables"].setdefault(table_name, {})
                if any(row[mark] for mark in marks):
                    table.pop(row[primary_key], None)
                else:
                    table[row[primary_key]] = row

        return load

    return decorate


def rest_api_resources(config):
    client = config["client"]
    assert client["auth"].pop("type") == "api_key" and client["paginator"] == "header_link"

    def loader(name, primary_key, write_disposition, endpoint):
        assert write_disposition == "replace"

        def load():
            pages = RESTClient(client["base_url"], api_key_auth(**client["auth"])).paginate(**endpoint)
            store["tables"][name] = {row[primary_key]: row for page in pages for row in page}

        return load

    return [loader(**given) for given in config["resources"]]


def pipeline(pipeline_name, destination, dataset_name):
    def run(loads, refresh):
        if refresh == "drop_sources":
            store["tables"].clear()
            store["state"].clear()
        for load in loads:
            load()
        with open(FILE, "w") as file:
            json.dump(store, file)
        counts.update({name: len(rows) for name, rows in store["tables"].items()})

    counts = {}
    return SimpleNamespace(
        run=run, last_trace=SimpleNamespace(last_normalize_info=SimpleNamespace(row_counts=counts))
    )


current = SimpleNamespace(resource_state=lambda: store["state"])
mark = SimpleNamespace(with_table_name=lambda row, table_name: (table_name, row))


def module(name, **members):
    sys.modules[name] = made = ModuleType(name)
    made.__path__ = []
    vars(made).update(members)


__path__ = []
module("dlt.sources")
module("dlt.sources.helpers")
module("dlt.sources.helpers.rest_client", RESTClient=RESTClient)
module("dlt.sources.helpers.rest_client.auth", APIKeyAuth=api_key_auth)
module("dlt.sources.helpers.rest_client.paginators", JSONResponseCursorPaginator=SimpleNamespace)
module("dlt.sources.rest_api", rest_api_resources=rest_api_resources)
