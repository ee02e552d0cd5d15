// A response that somebody saved by hand may be one page of a longer list, and says so beside its rows. It is refused, by whatever member
// the API says it: those of JSON:API, HAL, OData, Spring Data, Laravel, Django REST framework, GraphQL's connections, and HR systems.
import { describe, expect, test } from "bun:test";
import { draftOf } from "../../onboarding/draft-folders.ts";
import { imported, refused } from "../convert/mapped.ts";

const people = [1, 2].map((id) => ({
  legacyId: `E${id}`,
  firstName: "Ana",
  lastName: "Lind",
  email: `e${id}@example.com`,
  startDate: "2020-01-01",
  type: "employee",
  isBusiness: false,
}));
const fileOf = (more: object, key = "data") => ({
  "people.json": JSON.stringify({ [key]: people, ...more }),
});
const mapping = (at: string) => ({ workers: { from: "people.json", at } });

describe("one page of a list is refused", () => {
  test.each<[object, string]>([
    [{ hasMore: true, endingBefore: null }, "hasMore is true"],
    [{ has_more: "true" }, 'has_more is "true"'],
    [{ next_page_token: "CAUQAA" }, 'next_page_token is "CAUQAA"'],
    [{ links: { self: "/a", next: "/a?page=2" } }, 'links.next is "/a?page=2"'],
    [{ _links: { next: { href: "/a?page=2" } } }, "_links.next is named"],
    [{ _meta: { links: { next: { href: "/v2/persons?cursor=x" } } } }, "_meta.links.next is named"],
    [{ "@odata.nextLink": "https://graph.example/users?$skiptoken=x" }, "@odata.nextLink is"],
    [{ total: 240 }, "total is 240, and there are 2 rows"],
    [{ total: { value: 240, relation: "eq" } }, "total.value is 240, and there are 2 rows"],
    [{ total: { value: 2, relation: "gte" } }, 'total.relation is "gte"'],
    [{ total_count: "3" }, 'total_count is "3", and there are 2 rows'],
    [{ count: 3, previous: null }, "count is 3, and there are 2 rows"],
    [{ metadata: { total_elements: 9, current_page: 0, total_pages: 5 } }, "metadata.total_elements is 9"],
    [{ meta: { current_page: 1, last_page: 3, per_page: 2 } }, "meta.last_page is 3"],
    [{ pageable: { pageSize: 2 }, last: false }, "last is false"],
    [{ meta: { has_next_page: true, end_cursor: "x" } }, "meta.has_next_page is true"],
    [{ info: { more_records: true, page: 1 } }, "info.more_records is true"],
    [{ nextRecordsUrl: "/query/01g-2000", done: false }, "done is false"],
    [{ offset: "itrAbc/rec1" }, 'offset is "itrAbc/rec1"'],
    [{ page: { cursor: "eyJ" } }, 'page.cursor is "eyJ"'],
    [{ previous: "/people?page=1", next: null }, 'previous is "/people?page=1"'],
    [{ page: 2, per_page: 50 }, "page is 2"],
    [{ limit: 2, offset: 0 }, "limit is 2, and there are 2 rows"],
    [{ "hydra:totalItems": 3 }, "hydra:totalItems is 3, and there are 2 rows"],
    [{ "hydra:view": { "hydra:next": "/people?page=2" } }, 'hydra:view.hydra:next is "/people?page=2"'],
    [{ totalItemsCount: 3 }, "totalItemsCount is 3"],
    [{ total_number_of_records: 3 }, "total_number_of_records is 3"],
    [{ paginator: { last_page: 3 } }, "paginator.last_page is 3"],
    [{ isPartialResult: true }, "isPartialResult is true"],
    [{ limitExceeded: true }, "limitExceeded is true"],
    [{ isLastData: false }, "isLastData is false"],
    [{ meta: { completeIndicator: false } }, "meta.completeIndicator is false"],
    [{ LastEvaluatedKey: { id: "E2" } }, "LastEvaluatedKey is named"],
    [{ bookmark: "g1AAAA" }, 'bookmark is "g1AAAA"'],
    [{ paging: { cursors: { before: null, after: "MTAx" } } }, 'paging.cursors.after is "MTAx"'],
    [{ remaining_records: 12 }, "remaining_records is 12"],
    [{ meta: { remaining: 12 } }, "meta.remaining is 12"],
    [{ warning: "Result truncated to 100 rows" }, 'warning is "Result truncated to 100 rows"'],
    [{ message: "Showing the first 100 of 250" }, 'message is "Showing the first 100 of 250"'],
    [{ notice: "More records are available" }, 'notice is "More records are available"'],
  ])("%j", async (more, said) => {
    const findings = await refused(fileOf(more), mapping("data"));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toStartWith("people.json: is one page of a longer list, because ");
    expect(findings[0]).toContain(said);
  });

  test("by members before the list, deep inside, and in pieces of the text", async () => {
    const filler = { other: Array.from({ length: 30_000 }, (_, at) => ({ at, text: "]}" })) };
    const before = { meta: { note: "]", paging: { hasNext: true } }, ...filler };
    const files = { "people.json": JSON.stringify({ ...before, d: { results: people }, ...filler }) };
    const [finding] = await refused(files, mapping("d.results"));
    expect(finding).toContain("meta.paging.hasNext is true");
    const odata = { "people.json": JSON.stringify({ d: { results: people, __next: "https://x/y" } }) };
    expect((await refused(odata, mapping("d.results")))[0]).toContain('d.__next is "https://x/y"');
  });

  test("and by drafts", async () => {
    const { questions } = await draftOf(fileOf({ hasMore: true }, "employees"));
    expect(questions.join()).toContain("people.json: is one page of a longer list, because hasMore is true");
  });
});

test("a response that tells of an error is refused", async () => {
  const findings = await refused(fileOf({ success: false, errors: [] }), mapping("data"));
  expect(findings).toEqual(['people.json: is a response that tells of an error: "success is false"']);
  const skipped = await refused(fileOf({ skipped: 3 }), mapping("data"));
  expect(skipped).toEqual(['people.json: is a response that tells of an error: "skipped: 3"']);
});

describe("a whole list is read", () => {
  test.each<object>([
    { hasMore: false, total: 2 },
    { total: { value: 2, relation: "eq" } },
    { next: null, previous: null, count: 2 },
    { next: "", next_page: 0, nextCursor: null, limit: 2 },
    { meta: { total: 2, page: 1, per_page: 2, total_pages: 1 } },
    { metadata: { total_elements: 2, current_page: 0, total_pages: 1 }, success: true },
    { meta: { has_next_page: false, end_cursor: "x", limit: 2 } },
    { links: { self: "/a", next: null, first: "/a", last: "/a" } },
    { _links: { self: { href: "/a" }, next: { href: null } } },
    { last: true, first: true, size: 2, number: 0, totalPages: 1, totalElements: 2 },
    { numberOfElements: 2, number: 0, partial: false, view: { page: 1 } },
    { totalDays: 40, number: 4711, resultCode: 7, message: "Read on 3 May" },
    { records: { total: 3 }, done: true, summary: { total: 40, count: 9 } },
    { limit: 100, offset: 0, page: 1 },
    { subtotal: 9, total: 37.5, nextReview: "2026-01-01", "next review": "x", paginated: true },
    { error: null, errors: [], status: "ok" },
    { remaining: 12, after: "2026-01-01", message: "Leave of partial days is limited to 4 hours" },
    { meta: { remaining: 0, after: null }, bookmark: null, warnings: [] },
  ])("%j", async (more) => {
    const { stored } = await imported(fileOf(more), mapping("data"));
    expect(stored.workers).toHaveLength(2);
  });
});
