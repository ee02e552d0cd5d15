select id, legacyId, name, parentId, createdAt, _file, _line
from departments
