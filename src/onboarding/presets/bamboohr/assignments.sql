select p.employeeId as workerId, p.policy as policyId, nullif(e.hireDate, '0000-00-00') as assignedAt
from pairs p join staff e on e.id = p.employeeId
