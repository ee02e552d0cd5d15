// Common names of the region, curated by hand; none is of a particular person. Their form: `NameList` in names.ts.

export const european = {
  english: {
    male: "James~Jim,William~Bill,Oliver,Thomas~Tom,George,Benjamin~Ben,Samuel~Sam,Daniel~Dan,Liam,Noah,Jean-Luc,Callum,Marcus,Theodore~Teddy",
    female:
      "Elizabeth~Beth,Margaret~Maggie,Olivia,Charlotte~Charlie,Grace,Amelia,Hannah,Katherine~Kate,Zoë,Siobhán=Siobhan,Mary-Jane,Imani,Victoria~Tori,Aaliyah",
    family:
      "Smith,Jones,Taylor,Brown,Wilson,O'Brien,O'Connor,Walker,Wright,Hughes,Clarke,Bennett,Washington,Fitzgerald,D'Arcy,Lloyd-Jones,MacLeod,Okafor,Parker-Reid,Campbell",
  },
  german: {
    male: "Jürgen,Jörg,Lukas,Maximilian~Max,Johannes~Hannes,Sebastian~Basti,Karl-Heinz,Günther,Felix,Stefan,Björn,Matthias~Matze,Moritz,Tobias~Tobi",
    female:
      "Anna,Käthe,Sabine,Jana,Franziska~Franzi,Ann-Kathrin,Heike,Lena,Elisabeth~Lisbeth,Ulrike~Uli,Hannelore,Mia,Frauke,Annika",
    family:
      "Müller,Schmidt,Schäfer,Weiß,Groß,Köhler,Krüger,Fischer,Wagner,Schröder,Jäger,Böhm,Hoffmann,Müller-Lüdenscheidt,von der Heide,Vogt,Straßer,Lindner,Özdemir,Bauer",
  },
  french: {
    male: "François,Jean-Pierre,Étienne,Rémi,Loïc,Antoine,Benoît,Mathéo,Thibault,Gaël,Hugo,Jérôme,Nicolas~Nico,Raphaël",
    female:
      "Chloé,Zoé,Hélène,Anaïs,Marie-Claire,Camille,Élodie,Léa,Inès,Margaux,Noémie,Aurélie,Geneviève,Élisabeth~Babette",
    family:
      "Lefèvre,Dubois,Moreau,Béranger,D'Aubigné,Garçon,Fournier,Girard,Lemaître,Noël,Chevalier,L'Hôpital,Desprès,Rousseau,Gauthier,Saint-Martin,Mercier,Bénard,Renaud,Faÿ",
  },
  spanish: {
    male: "José~Pepe,Francisco~Paco,Íñigo,Andrés,Joaquín,Ramón,Ángel,Martín,Álvaro,Ignacio~Nacho,Iván,Mateo,José Luis,Raúl",
    female:
      "María José~Majo,Lucía,Sofía,Begoña,Concepción~Concha,Inés,Mónica,Guadalupe~Lupe,Ángela,Ximena,Rocío,Dolores~Lola,Nuria,Águeda",
    family:
      "García,Fernández,Muñoz,Núñez,Peña,Rodríguez,López,Ibáñez,Gutiérrez,Ortega,Vázquez,Castaño,Jiménez,Domínguez,de la Fuente,Sánchez,Méndez,Güell,Quiñones,Serrano",
    twoFamilyNames: 0.4,
  },
  portuguese: {
    male: "João,Luís,Antônio~Tonho,Caetano,Thiago,Gonçalo,Fábio,Otávio,Rafael~Rafa,Vinícius,Eduardo~Dudu,Murilo,César,Estêvão",
    female:
      "Conceição,Letícia,Beatriz~Bia,Júlia,Inês,Fernanda~Nanda,Patrícia,Lívia,Thaís,Ana Clara,Mônica,Verônica,Luíza,Débora",
    family:
      "Silva,Gonçalves,Araújo,Assunção,Conceição,Brandão,Magalhães,Simões,Falcão,Guimarães,Monteiro,dos Santos,da Cruz,Figueirôa,Antunes,Leitão,Peixoto,Corrêa,Moura,Teixeira",
    twoFamilyNames: 0.3,
  },
  greek: {
    male: "Γιώργος=Giorgos,Νίκος=Nikos,Κωνσταντίνος=Konstantinos~Κώστας,Δημήτρης=Dimitris,Ιωάννης=Ioannis~Γιάννης,Αλέξανδρος=Alexandros,Σπύρος=Spyros,Θεόδωρος=Theodoros,Βασίλης=Vasilis,Ευάγγελος=Evangelos~Βαγγέλης",
    female:
      "Μαρία=Maria,Ελένη=Eleni,Κατερίνα=Katerina,Σοφία=Sofia,Δήμητρα=Dimitra,Ευαγγελία=Evangelia~Λίτσα,Χριστίνα=Christina,Ειρήνη=Irini,Ζωή=Zoi,Φωτεινή=Fotini",
    family:
      "Παπαδόπουλος=Papadopoulos/Παπαδοπούλου=Papadopoulou,Νικολάου=Nikolaou,Γεωργίου=Georgiou,Αντωνιάδης=Antoniadis/Αντωνιάδου=Antoniadou,Οικονόμου=Oikonomou,Βασιλείου=Vasileiou,Μακρής=Makris/Μακρή=Makri,Καραγιάννης=Karagiannis/Καραγιάννη=Karagianni,Δημητρίου=Dimitriou,Αλεξίου=Alexiou,Σταύρου=Stavrou,Λαμπράκης=Lamprakis/Λαμπράκη=Lampraki",
  },
  pacific: {
    male: "Tāne=Tane,Keoni,Sione,Wiremu,Malakai,Kaleo,Tavita,Rāwiri=Rawiri,Ioane,Kekoa,Fa'afetai,Mikaele",
    female: "Leilani~Lani,Moana,Sina,Aroha,Kēhaulani=Kehaulani,Ngaio,Mele,Hine,Losa,Noelani,Anahera,Tala",
    family:
      "Kahananui,Ka'ahumanu,Tuilagi,Fa'alogo,Ngāta=Ngata,Leota,Māhoe=Mahoe,Kealoha,Te Rangi,Faleolo,Tamatea,Sefo,Kamakau,Parata,Lemalu",
  },
} as const;

export const slavic = {
  bulgarian: {
    male: "Георги=Georgi~Гошо,Иван=Ivan,Димитър=Dimitar~Митко,Николай=Nikolay~Ники,Александър=Aleksandar~Сашо,Стефан=Stefan,Петър=Petar,Христо=Hristo,Любомир=Lyubomir,Тодор=Todor,Борис=Boris,Владимир=Vladimir",
    female:
      "Мария=Maria,Елена=Elena,Десислава=Desislava~Деси,Виктория=Viktoria,Йоана=Yoana,Цветелина=Tsvetelina~Цвети,Радостина=Radostina,Гергана=Gergana,Снежана=Snezhana,Теодора=Teodora,Ралица=Ralitsa,Ева=Eva",
    family:
      "Иванов=Ivanov/Иванова=Ivanova,Петров=Petrov/Петрова=Petrova,Димитров=Dimitrov/Димитрова=Dimitrova,Георгиев=Georgiev/Георгиева=Georgieva,Николов=Nikolov/Николова=Nikolova,Тодоров=Todorov/Тодорова=Todorova,Стоянов=Stoyanov/Стоянова=Stoyanova,Ангелов=Angelov/Ангелова=Angelova,Йорданов=Yordanov/Йорданова=Yordanova,Христов=Hristov/Христова=Hristova,Шишков=Shishkov/Шишкова=Shishkova,Кръстев=Krastev/Кръстева=Krasteva",
  },
  polish: {
    male: "Łukasz,Michał,Paweł,Krzysztof~Krzysiek,Stanisław~Staszek,Wojciech~Wojtek,Rafał,Tomasz~Tomek,Bartłomiej~Bartek,Jędrzej",
    female:
      "Małgorzata~Gosia,Agnieszka~Aga,Joanna~Asia,Zofia~Zosia,Elżbieta~Ela,Róża,Łucja,Danuta,Ewa,Bożena",
    family:
      "Wiśniewski/Wiśniewska,Kowalski/Kowalska,Wójcik,Zieliński/Zielińska,Woźniak,Dąbrowski/Dąbrowska,Kamiński/Kamińska,Lewandowski/Lewandowska,Błaszczyk,Górski/Górska,Król,Świątek,Żak,Jabłoński/Jabłońska",
  },
} as const;

export const african = {
  amharic: {
    male: "አበበ=Abebe,ተስፋዬ=Tesfaye,ዳዊት=Dawit,ሰለሞን=Solomon,ኃይሉ=Hailu,ብርሃኑ=Birhanu,ዮሐንስ=Yohannes,ግርማ=Girma,ታደሰ=Tadesse,ቴዎድሮስ=Tewodros~ቴዲ",
    female:
      "አልማዝ=Almaz,ሰላም=Selam,ትዕግስት=Tigist,ሄለን=Helen,ብርቱካን=Birtukan,ራሔል=Rahel,ማርታ=Marta,ገነት=Genet,ሕይወት=Hiwot,ፀሐይ=Tsehay",
    family:
      "ከበደ=Kebede,በቀለ=Bekele,ወልደ=Wolde,ገብሬ=Gebre,ደምሴ=Demissie,መኮንን=Mekonnen,አለሙ=Alemu,ይልማ=Yilma,ሽፈራው=Shiferaw,ንጉሤ=Nigussie,ተፈራ=Tefera,ገብረማርያም=Gebremariam",
  },
} as const;
