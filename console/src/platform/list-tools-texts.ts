import { plural, texts } from '../language/texts.ts'

export const listToolsTexts = texts({
  en: {
    download: 'Download CSV',
    isDownloaded: (rows: number) =>
      plural.en(rows, { one: '# row is downloaded', other: '# rows are downloaded' }),
    newest: (rows: number, total: number) =>
      `The newest ${rows} of ${total} rows are downloaded. Filter by days for older ones.`,
    views: 'Saved views:',
    save: 'Save this view',
    saveHint: 'The filters are kept in this browser under a name.',
    name: 'Name',
    nameWrong: 'A name of at most 60 characters',
    isSaved: (name: string) => `“${name}” is saved`,
    remove: (name: string) => `Remove “${name}”`,
    isRemoved: (name: string) => `“${name}” is removed`,
  },
  hi: {
    download: 'CSV डाउनलोड करें',
    isDownloaded: rows => plural.hi(rows, { one: '# पंक्ति डाउनलोड हुई', other: '# पंक्तियाँ डाउनलोड हुईं' }),
    newest: (rows, total) => `${total} में से सबसे नई ${rows} पंक्तियाँ डाउनलोड हुईं। पुरानी के लिए दिन चुनें।`,
    views: 'सहेजे हुए दृश्य:',
    save: 'यह दृश्य सहेजें',
    saveHint: 'फ़िल्टर इस ब्राउज़र में एक नाम से रखे जाते हैं।',
    name: 'नाम',
    nameWrong: 'ज़्यादा से ज़्यादा 60 अक्षरों का नाम',
    isSaved: name => `“${name}” सहेजा गया`,
    remove: name => `“${name}” हटाएँ`,
    isRemoved: name => `“${name}” हटाया गया`,
  },
})
