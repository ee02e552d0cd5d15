// What people write when they ask for time off: mostly nothing, sometimes a word, now and then a paragraph with
// commas, quotes and line breaks that a reader of CSV must not stumble over.

import type { Random } from "../random.ts";
import type { LeaveKind } from "./policies.ts";

const english: Record<LeaveKind, readonly string[]> = {
  vacation: [
    "Family holiday",
    "Summer trip",
    "Wedding, then a few days off",
    "Moving house",
    'Going to see "Hamlet", finally',
    "Road trip with the kids, back on Monday",
    "Visiting my parents.\nReachable by phone in the mornings.",
    'Handover: see the page "While I am away".\r\nBackup: my team lead, as discussed.',
  ],
  sick: ["Flu", "Doctor's orders", "Migraine", "Sick child, at home", "Food poisoning - sorry!"],
  unpaid: ["Sabbatical", "Family matters, as discussed"],
  parental: ["Parental leave", "It's a girl! 🎉"],
  study: ["Exam", 'Conference: "Payroll, Privacy & You"', "Certificate course, day 1 of 2"],
};

const partDays = [
  "Dentist",
  "School play",
  "Plumber, between 9 and 12",
  "Parent-teacher meeting",
  "Blood donation",
];

// By country; what is missing is written in English.
const local: Record<string, Partial<Record<LeaveKind, readonly string[]>>> = {
  DE: {
    vacation: ["Sommerurlaub", "Umzug, danach frei", "Brückentag", "Übergabe an „Team Süd“ ist erledigt"],
    sick: ["Erkältung"],
  },
  ES: {
    vacation: ["Vacaciones de verano", "Boda de mi hermana, en Cádiz", "¡Por fin, la playa!"],
    sick: ["Gripe"],
  },
  FR: {
    vacation: ["Congés d'été", "Déménagement, puis repos", "Noël en famille"],
    sick: ["Grippe", "Angine"],
  },
  BR: { vacation: ["Férias", "Viagem com a família, até o Réveillon"], sick: ["Gripe, atestado em anexo"] },
  GR: { vacation: ["Διακοπές στο νησί", "Πάσχα στο χωριό"], sick: ["Γρίπη"] },
  BG: { vacation: ["Отпуск", "Море с децата, до неделя"], sick: ["Грип"] },
  IL: { vacation: ["חופשה משפחתית", "חתונה, בחיפה"], sick: ["שפעת"] },
  EG: { vacation: ["إجازة عائلية", "السفر، ثم العودة يوم الأحد"], sick: ["إنفلونزا"] },
  ET: { vacation: ["የቤተሰብ ዕረፍት"] },
  IN: { vacation: ["परिवार के साथ छुट्टी", "Diwali, at home", "शादी"], sick: ["बुखार"] },
  TH: { vacation: ["สงกรานต์", "พาครอบครัวไปเที่ยว"] },
  VN: { vacation: ["Nghỉ Tết", "Về quê, thăm bố mẹ"] },
  CN: { vacation: ["回家过年", "家庭旅行"], sick: ["感冒"] },
  JP: { vacation: ["私用のため", "夏季休暇", "引っ越し"], sick: ["体調不良"] },
  KR: { vacation: ["가족 여행", "추석 연휴"], sick: ["감기"] },
};

/** What the request says, in the language of the place or in English; null for about half of them. */
export function reasonFor(kind: LeaveKind, partDay: boolean, country: string, random: Random): string | null {
  const draw = random.fraction();
  if (draw < 0.5) return null;
  if (partDay) return random.pick(partDays);
  const own = local[country]?.[kind];
  return random.pick(own !== undefined && draw < 0.85 ? own : english[kind]);
}
