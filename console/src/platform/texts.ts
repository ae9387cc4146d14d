import { texts } from '../language/texts.ts'

export const platformTexts = texts({
  en: { start: 'Start', owners: 'Owners', agents: 'Agents', webhooks: 'Webhooks' },
  hi: { start: 'शुरुआत', owners: 'मालिक', agents: 'एजेंट', webhooks: 'वेबहुक' },
})
