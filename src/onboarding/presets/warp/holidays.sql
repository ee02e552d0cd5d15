select id, legacyId, calendar, date, name, minutes, _file, _line
from holidays
