select
  id,
  legacyId,
  name,
  type,
  timeZone,
  (select h.calendar from holidays h where h.calendarId = w.holidayCalendarId) as holidayCalendar,
  createdAt,
  status,
  _file,
  _line
from workplaces w
