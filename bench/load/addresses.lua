-- Asks for the paths of a file, one a line, one after the other.
-- Arguments: the file, the API key (or "-"), the pause between two requests of a connection in milliseconds (a fraction is
-- drawn).
local requests, at = {}, 0

function init(args)
  local headers = {}
  if args[2] ~= "-" then headers["x-api-key"] = args[2] end
  local pause = tonumber(args[3])
  -- Only where it is wanted: wrk sets a timer for every request when there is such a function.
  if pause > 0 then delay = function() return math.floor(pause + math.random()) end end
  for path in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", path, headers) end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, rates)
  local e = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"bytes":%d,"durationUs":%d,"failures":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d},"p50Us":%d,"p99Us":%d,"maxUs":%d}\n',
    summary.requests, summary.bytes, summary.duration, e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(50), latency:percentile(99), latency.max))
end
