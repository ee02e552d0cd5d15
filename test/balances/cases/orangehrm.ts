/**
 * Entitlements of OrangeHRM: src/plugins/orangehrmLeavePlugin/test/Dao/LeaveEntitlementDaoGetLeaveBalanceTest.php and its fixture. What is
 * entitled is imported as adjustments. Of leave before and after the entitlement, as much is imported as the test counts.
 */
import type { Case, Leave, Suite } from "./case.ts";

function entitled(source: string, leave: readonly Leave[], days: number): Case {
  return {
    source,
    yearly: 0,
    assigned: "2012-01-01",
    adjustments: { "2013-01-01": 5 },
    leave,
    granted: { "2013-12-31": 5 },
    taken: { "2014-12-31": days },
  };
}

const LINKED: readonly Leave[] = [
  ["2013-08-13", "2013-08-13", 1],
  ["2013-08-14", "2013-08-14", 1],
];
const UNLINKED: Leave = ["2013-03-05", "2013-03-05", 1];

export const ORANGEHRM: Suite = {
  cases: [
    {
      source: "testGetLeaveBalance",
      title: "3 days, 0.75 of which are taken, and 0.5 asked for",
      yearly: 0,
      assigned: "2012-01-01",
      adjustments: { "2012-01-01": 3 },
      leave: [
        ["2012-05-02", "2012-05-02", 0.75],
        ["2012-06-04", "2012-06-04", 0.5, "pending"],
      ],
      granted: { "2012-07-02": 3 },
      taken: { "2012-07-02": 0.75 },
      left: { "2012-07-02": 2.25 },
      available: { "2012-07-02": 1.75 },
    },
    entitled("testGetLeaveBalanceWithUnlinkedLeave", [...LINKED, UNLINKED], 3),
    entitled(
      "testGetLeaveBalanceExcludingUnlinkedLeaveWhenAfterPeriod",
      [...LINKED, UNLINKED, ["2014-01-03", "2014-01-04", 2]],
      5,
    ),
    entitled(
      "testGetLeaveBalanceExcludingUnlinkedBeforePeriod",
      [...LINKED, UNLINKED, ["2012-08-21", "2012-08-21", 1]],
      4,
    ),
    entitled("testGetLeaveBalanceExcludingUnlinkedLeave", LINKED, 2),
  ],
  unsayable: [],
};
