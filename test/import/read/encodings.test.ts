// The encoding of a file that a draft is made of, told by its letters.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { likelyOptions } from "../../../src/import/read/files.ts";
import { folderOf } from "../../support/import-files.ts";

/** The bytes of a text in an encoding that only a decoder is at hand for. */
function encoded(text: string, label: string): Buffer {
  const decoder = new TextDecoder(label);
  const bytesOf = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if ([...character].length === 1 && character !== "\ufffd" && !bytesOf.has(character))
      bytesOf.set(character, bytes);
  };
  for (let first = 0; first < 256; first++) learn(first);
  for (let first = 0x81; first < 256; first++)
    for (let second = 0x40; second < 256; second++) learn(first, second);
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character)!));
}

const PEOPLE: readonly (readonly [label: string, people: string])[] = [
  ["windows-1252", "Müller;Jörg;Geschäftsführung Weiß;Käthe;Vertrieb Schäfer;Günther;Einkauf"],
  ["windows-1252", "Lefèvre;Gaël;Comptabilité Hébert;Chloé;Qualité Martin;Paul;Ventes"],
  ["windows-1252", "Muñoz;José;Dirección Peña;Íñigo;Administración Soto;Luis;Ventas"],
  ["windows-1252", "Smith;Anne;Sales Muñoz;Luis;Sales Brown;Tom;Finance"],
  ["windows-1250", "Wiśniewski;Łukasz;Księgowość Wójcik;Małgorzata;Sprzedaż Dąbrowska;Żaneta;Zarząd"],
  ["windows-1250", "Novák;Jiří;Účetnictví Dvořák;Václav;Řízení Černý;Ondřej;Prodej"],
  ["windows-1250", "Kovács;Győző;Pénzügy Szabó;Ágnes;Értékesítés Tóth;Béla;Munkaügy"],
  ["windows-1254", "Yılmaz;Ayşe;Satış Öztürk;Çağla;Muhasebe Şahin;Gökçe;Yönetim"],
  ["windows-1251", "Иванов;Пётр;Бухгалтерия Смирнова;Анна;Продажи Кузнецов;Олег;Кадры"],
  ["windows-1253", "Παπαδόπουλος;Γιώργος;Πωλήσεις Νικολάου;Ελένη;Λογιστήριο"],
  ["shift_jis", "佐藤;花子;営業部 鈴木;一郎;開発部 高橋;健;人事部"],
  ["gb18030", "王;芳;销售部 李;伟;技术部 张;敏;人事部"],
  ["euc-kr", "김;민수;영업부 이;서연;개발부 박;지훈;인사부"],
];

test.each(PEOPLE)("%s: %s", async (label, people) => {
  const rows = people.split(" ").map((row, index) => `${1000 + index};${row};2020-01-0${index + 1}`);
  const text = ["Number;Last name;First name;Department;Hire date", ...rows, ""].join("\r\n");
  const bytes = encoded(text, label);
  const folder = folderOf({ "people.csv": bytes });
  const options = await likelyOptions(join(folder, "people.csv"), "people.csv", null);
  expect(new TextDecoder(options.encoding!).decode(bytes)).toBe(text);
});
