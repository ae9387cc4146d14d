import { plural, texts } from '../../language/texts.ts'

/** `1 घंटा` becomes `1 घंटे में`; the other units stay as they are. */
const within = (span: string) => `${span} में`.replace('घंटा', 'घंटे')

/** What each rule found, in a sentence. */
export const findingTexts = texts({
  en: {
    velocity_spike: (payments: number, span: string, usual: string) =>
      `${plural.en(payments, { one: '# payment', other: '# payments' })} within ${span}; usual in that time: ${usual}`,
    structuring: (payments: number, span: string, least: string, threshold: string) =>
      `${plural.en(payments, { one: '# payment', other: '# payments' })} of ${least} to ${threshold} within ${span}, at or just below a limit of the agent`,
    circular_flow: (agents: number, span: string, first: string, last: string) =>
      `${first} went out and ${last} came back within ${span}, through ${plural.en(agents, { one: '# agent', other: '# agents' })}`,
    new_payees: (payees: number, span: string) =>
      `${plural.en(payees, { one: '# agent', other: '# agents' })} paid for the first time within ${span}`,
    repeated_refusals: (refusals: number, span: string) =>
      `${plural.en(refusals, { one: '# payment', other: '# payments' })} refused by policy within ${span}`,
    failed_authentication: (failures: number, span: string) =>
      `${plural.en(failures, { one: '# wrong secret', other: '# wrong secrets' })} for this platform within ${span}`,
    login_guessing: (failures: number, span: string) =>
      `${plural.en(failures, { one: '# wrong login code', other: '# wrong login codes' })} over all phones within ${span}`,
    pass_through: (times: number, span: string, percent: string, out: string, total: string) =>
      `${plural.en(times, { one: '# time', other: '# times' })} within ${span} money came in and at least ${percent} % of it went out within ${out}: ${total} in all`,
  },
  hi: {
    velocity_spike: (payments, span, usual) =>
      `${within(span)} ${plural.hi(payments, { one: '# भुगतान', other: '# भुगतान' })}; इतने समय में आम तौर पर ${usual}`,
    structuring: (payments, span, least, threshold) =>
      `${within(span)} ${least} से ${threshold} के ${plural.hi(payments, { one: '# भुगतान', other: '# भुगतान' })}, एजेंट की किसी सीमा के बराबर या ज़रा कम`,
    circular_flow: (agents, span, first, last) =>
      `${within(span)} ${first} निकले और ${last} लौटे, ${plural.hi(agents, { one: '# एजेंट', other: '# एजेंटों' })} से होकर`,
    new_payees: (payees, span) =>
      `${within(span)} ${plural.hi(payees, { one: '# एजेंट', other: '# एजेंटों' })} को पहली बार भुगतान`,
    repeated_refusals: (refusals, span) =>
      `${within(span)} नियमों ने ${plural.hi(refusals, { one: '# भुगतान', other: '# भुगतान' })} नामंज़ूर किए`,
    failed_authentication: (failures, span) =>
      `${within(span)} इस प्लेटफ़ॉर्म के लिए ${plural.hi(failures, { one: '# ग़लत सीक्रेट', other: '# ग़लत सीक्रेट' })}`,
    login_guessing: (failures, span) =>
      `${within(span)} सभी फ़ोन पर ${plural.hi(failures, { one: '# ग़लत लॉगिन कोड', other: '# ग़लत लॉगिन कोड' })}`,
    pass_through: (times, span, percent, out, total) =>
      `${within(span)} ${plural.hi(times, { one: '# बार', other: '# बार' })} पैसा आया और उसका कम से कम ${percent} % ${within(out)} निकल गया: कुल ${total}`,
  },
})
