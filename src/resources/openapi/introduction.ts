// What a reader of the OpenAPI document should know before the first call (docs/api.md; Markdown).
import { LIMIT_DEFAULT, LIMIT_MAX, LIST_MAX_VALUES } from "../query.ts";

export const INTRODUCTION = `Read-only access to a company's workers and their time off.

**Authentication.** Send your key in \`x-api-key\` with every request under \`/v1\`. A key belongs to one company and sees
nothing of any other. Its scopes, \`workers:read\` and \`time_off:read\`, say what it may read.

**Methods.** GET, and HEAD, which is GET without the body. Any other method is a 405
\`method_not_allowed\`, and a path that is not in this document a 404 \`unknown_path\`.

**Lists** come in pages: \`{"count": n, "data": [...], "hasMore": bool}\`, ordered by id. \`limit\` is 1–${LIMIT_MAX}, ${LIMIT_DEFAULT} when left
out. Read on with \`afterId\` set to the last id of the page, or backwards with \`beforeId\` set to the first, as long as
\`hasMore\` is true; or follow the \`Link\` header. Reading a list this way returns every object that matched throughout exactly once, whatever
is imported meanwhile.

**Filters** combine with AND; the values of one list with OR. A list takes up to ${LIST_MAX_VALUES} values in any of the spellings
\`workerIds=a&workerIds=b\`, \`workerIds[]=a\`, \`workerIds[0]=a\` and \`workerIds=a,b\`. An unknown parameter is an error, so
that a mistyped filter never returns everybody's data. In a URL that you write yourself, \`+\` is \`%2B\`.

**Values.** Date-times are RFC 3339 in UTC with milliseconds, dates \`YYYY-MM-DD\`, durations minutes. Ids are opaque; every
key is always present.

**Unchanged responses.** Every 200 has an \`ETag\`. Send it back as \`If-None-Match\`: while nothing has changed, the response is an
empty 304.

**Errors** are \`application/problem+json\` (RFC 9457) with a stable \`code\`. [Every code is explained here](/docs/errors).
`;
