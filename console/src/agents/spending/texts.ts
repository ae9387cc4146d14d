import { plural, texts } from '../../language/texts.ts'

export const spendingTexts = texts({
  en: {
    title: 'Spending by payee',
    hint: 'Payments and escrow on each day in India, without fees.',
    loading: 'Adding up the spending…',
    loadingChart: 'Drawing the chart…',
    period: 'Period',
    days: { 7: '7 days', 30: '30 days', 90: '90 days' },
    total: (rupees: string, count: number) =>
      `${rupees} in ${plural.en(count, { one: '# payment', other: '# payments' })}`,
    none: 'Nothing was spent in this time',
    noneHint: 'Choose a longer time, or see all that moved.',
    toStatement: 'See the statement',
    chart: (rupees: string, days: number) =>
      `Bar chart: ${rupees} spent in ${days} days, a bar for each day, a colour for each payee. The table below has the same numbers.`,
    others: 'Others',
    table: 'The same as a table',
    day: 'Day',
    sum: 'Sum',
    payee: 'Payee',
    payments: 'Payments',
    byPayee: 'By payee',
    byDay: 'By day',
  },
  hi: {
    title: 'किसे कितना चुकाया',
    hint: 'भारत के हर दिन के भुगतान और एस्क्रो, शुल्क के बिना।',
    loading: 'ख़र्च जोड़ा जा रहा है…',
    loadingChart: 'चार्ट बन रहा है…',
    period: 'अवधि',
    days: { 7: '7 दिन', 30: '30 दिन', 90: '90 दिन' },
    total: (rupees, count) => `${plural.hi(count, { one: '# भुगतान', other: '# भुगतानों' })} में ${rupees}`,
    none: 'इस समय में कुछ ख़र्च नहीं हुआ',
    noneHint: 'लंबा समय चुनें, या जो कुछ चला वह देखें।',
    toStatement: 'विवरण देखें',
    chart: (rupees, days) =>
      `बार चार्ट: ${days} दिनों में ${rupees} ख़र्च, हर दिन की एक पट्टी, हर पाने वाले का एक रंग। नीचे की तालिका में यही संख्याएँ हैं।`,
    others: 'दूसरे',
    table: 'यही तालिका में',
    day: 'दिन',
    sum: 'जोड़',
    payee: 'पाने वाला',
    payments: 'भुगतान',
    byPayee: 'पाने वाले के हिसाब से',
    byDay: 'दिन के हिसाब से',
  },
})
