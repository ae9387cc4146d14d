import { plural, texts } from '../language/texts.ts'

export const ownerTexts = texts({
  en: {
    inbox: 'Inbox',
    agents: 'Agents',
    money: 'Money',
    organizations: 'Organizations',
    safety: 'Safety',
    waiting: (count: number) => plural.en(count, { one: '# request waits', other: '# requests wait' }),
  },
  hi: {
    inbox: 'इनबॉक्स',
    agents: 'एजेंट',
    money: 'पैसा',
    organizations: 'संगठन',
    safety: 'सुरक्षा',
    waiting: count => plural.hi(count, { one: '# अनुरोध इंतज़ार में है', other: '# अनुरोध इंतज़ार में हैं' }),
  },
})
