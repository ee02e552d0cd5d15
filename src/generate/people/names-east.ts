// Common names of the region, curated by hand; none is of a particular person. Their form: `NameList` in names.ts.

export const eastern = {
  arabic: {
    male: "محمد=Mohamed~حمادة,أحمد=Ahmed,يوسف=Youssef,عمر=Omar,كريم=Karim,خالد=Khaled,مصطفى=Mostafa,عبد الله=Abdallah,طارق=Tarek,حسن=Hassan,سامي=Sami,إبراهيم=Ibrahim",
    female:
      "فاطمة=Fatma,مريم=Mariam,ليلى=Layla,نور=Nour,سارة=Sara,هدى=Hoda,ياسمين=Yasmin,آية=Aya,زينب=Zeinab,رانيا=Rania,منى=Mona,سلمى=Salma",
    family:
      "المصري=El-Masry,حسين=Hussein,عبد الرحمن=Abdelrahman,السيد=El-Sayed,منصور=Mansour,الخطيب=Al-Khatib,نجيب=Naguib,حداد=Haddad,فوزي=Fawzy,الشريف=El-Sherif,سالم=Salem,القاضي=El-Kady,زكي=Zaki,بدوي=Badawi",
  },
  hebrew: {
    male: "דוד=David~דודי,יוסף=Yosef~יוסי,משה=Moshe,אורי=Uri,איתי=Itai,נועם=Noam,יונתן=Yonatan~יוני,עומר=Omer,אריאל=Ariel,גיא=Guy",
    female:
      "נועה=Noa,תמר=Tamar,שירה=Shira,יעל=Yael,מאיה=Maya,רחל=Rachel~רוחי,אביגיל=Avigail,הדס=Hadas,מיכל=Michal,ליאת=Liat",
    family:
      "כהן=Cohen,לוי=Levi,מזרחי=Mizrahi,פרץ=Peretz,ביטון=Biton,אברהם=Avraham,פרידמן=Friedman,שפירא=Shapira,בן-דוד=Ben-David,אוחיון=Ohayon,גולן=Golan,רוזנברג=Rosenberg,בר-לב=Bar-Lev",
  },
  hindi: {
    male: "अमित=Amit,राहुल=Rahul,विक्रम=Vikram~विक्की,अर्जुन=Arjun,संजय=Sanjay,राजेश=Rajesh~राजू,कृष्ण=Krishna,आदित्य=Aditya~आदि,मनीष=Manish,सुरेश=Suresh,रोहित=Rohit,दीपक=Deepak",
    female:
      "प्रिया=Priya,अनन्या=Ananya~अनु,दीपिका=Deepika,सुनीता=Sunita,पूजा=Pooja,नेहा=Neha,लक्ष्मी=Lakshmi,काव्या=Kavya,मीरा=Meera,श्रुति=Shruti,आरती=Aarti,रश्मि=Rashmi",
    family:
      "शर्मा=Sharma,वर्मा=Verma,गुप्ता=Gupta,सिंह=Singh,पटेल=Patel,मिश्रा=Mishra,अग्रवाल=Agarwal,जोशी=Joshi,त्रिपाठी=Tripathi,चौधरी=Chaudhary,मेहता=Mehta,श्रीवास्तव=Srivastava,देशपांडे=Deshpande,यादव=Yadav",
  },
  thai: {
    male: "สมชาย=Somchai,ธนากร=Thanakorn,กิตติ=Kitti,ณัฐพล=Nattapon,วีระ=Weera,ชัยวัฒน์=Chaiwat,อนันต์=Anan,ภาณุ=Phanu",
    female:
      "สุดา=Suda,ณัฐชา=Natcha,ปิยะดา=Piyada,กมลวรรณ=Kamonwan,วิไล=Wilai,มาลี=Malee,อรทัย=Orathai,พิมพ์ชนก=Pimchanok",
    family:
      "ใจดี=Jaidee,ศรีสุข=Srisuk,วงศ์ใหญ่=Wongyai,บุญมี=Boonmee,ทองดี=Thongdee,รัตนกุล=Rattanakul,แสงจันทร์=Saengchan,พงษ์ไพบูลย์=Pongpaiboon,สุวรรณ=Suwan,เจริญสุข=Charoensuk",
    nicknames: "เล็ก,นก,ปลา,ต้น,เมย์,Bank",
  },
  vietnamese: {
    male: "Văn Đức,Minh Quân,Hữu Phước,Quốc Bảo,Anh Tuấn,Đình Khôi,Thanh Sơn,Gia Huy",
    female: "Thị Mai,Thanh Hằng,Ngọc Ánh,Thùy Dương,Phương Thảo,Kim Liên,Bảo Trân,Thị Hồng Nhung",
    family: "Nguyễn,Trần,Lê,Phạm,Hoàng,Huỳnh,Phan,Vũ,Võ,Đặng,Bùi,Đỗ,Hồ,Ngô",
    familyFirst: "spaced",
  },
  chinese: {
    male: "伟=Wei,建国=Jianguo,志强=Zhiqiang,浩然=Haoran,子轩=Zixuan,明=Ming,俊杰=Junjie,宇航=Yuhang,磊=Lei,文博=Wenbo",
    female:
      "芳=Fang,静怡=Jingyi,秀英=Xiuying,雨桐=Yutong,丽=Li,欣怡=Xinyi,梦瑶=Mengyao,婷=Ting,晓燕=Xiaoyan,佳琪=Jiaqi",
    family:
      "王=Wang,李=Li,张=Zhang,刘=Liu,陈=Chen,杨=Yang,赵=Zhao,黄=Huang,周=Zhou,吴=Wu,徐=Xu,孙=Sun,欧阳=Ouyang,司马=Sima,吕=Lyu",
    familyFirst: "joined",
    nicknames: "Kevin,Amy,Jason,Vivian,Leo,Cindy",
  },
  japanese: {
    male: "太郎=Taro,健一=Kenichi~ケン,翔太=Shota,大輔=Daisuke,拓也=Takuya,蓮=Ren,和彦=Kazuhiko,直樹=Naoki,悠斗=Yuto,修=Osamu",
    female:
      "花子=Hanako,美咲=Misaki,さくら=Sakura,陽子=Yoko,愛=Ai,由美子=Yumiko~ゆみ,結衣=Yui,真理=Mari,千尋=Chihiro,恵=Megumi",
    family:
      "佐藤=Sato,鈴木=Suzuki,高橋=Takahashi,田中=Tanaka,渡辺=Watanabe,伊藤=Ito,山本=Yamamoto,中村=Nakamura,小林=Kobayashi,加藤=Kato,吉田=Yoshida,佐々木=Sasaki,長谷川=Hasegawa,髙木=Takagi",
    familyFirst: "spaced",
  },
  korean: {
    male: "민준=Minjun,서준=Seojun,지훈=Jihoon,현우=Hyunwoo,성민=Sungmin,동현=Donghyun,영수=Youngsoo,태영=Taeyoung",
    female: "서연=Seoyeon,지은=Jieun,수진=Sujin,민지=Minji,하은=Haeun,예진=Yejin,은영=Eunyoung,혜원=Hyewon",
    family: "김=Kim,이=Lee,박=Park,최=Choi,정=Jung,강=Kang,조=Cho,윤=Yoon,장=Jang,임=Lim,한=Han,남궁=Namgung",
    familyFirst: "joined",
    nicknames: "Daniel,Grace,Brian,Jenny",
  },
} as const;
