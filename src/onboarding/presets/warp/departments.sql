select id, legacyId, name, parentId, _file, _line
from departments
