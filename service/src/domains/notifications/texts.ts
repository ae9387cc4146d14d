import type { AgentStatus, NotificationKind, NotificationLanguage } from '@batua/contract'

/** A request that waits, or has waited, for the owner. Amounts are written as the language writes them. */
interface Request {
  /** The owner’s agent. */
  readonly agent: string
  /** The payee’s handle, which nobody else can have, with `@`; null: none is named. */
  readonly to: string | null
  readonly amount: string
}

/** The texts of one language. No text says more than a stranger may read on a locked screen. */
export interface Texts {
  readonly locale: string
  readonly titles: Readonly<Record<NotificationKind, string>>
  payment(request: Request): string
  escrow_hold(request: Request): string
  authorization(request: Request): string
  expired(request: Request): string
  stopped(agent: string, status: Exclude<AgentStatus, 'active'>): string
  paidOut(agent: string, amount: string): string
  payoutFailed(agent: string, amount: string): string
  fundingReversed(agent: string, amount: string): string
  accountVerified(): string
  accountRefused(): string
  accountPending(): string
  appConnected(agent: string, daily: string): string
  /** Of several at once. */
  many(kind: NotificationKind, count: number): string
}

const en: Texts = {
  locale: 'en-IN',
  titles: {
    approval_requested: 'A request waits for you',
    approval_expired: 'A request expired',
    agent_stopped: 'An agent was stopped',
    payout_completed: 'Money reached your bank',
    payout_failed: 'A payout failed',
    funding_reversed: 'A bank took money back',
    bank_account_checked: 'Your bank account',
    app_connected: 'An app was connected',
  },
  payment: ({ agent, to, amount }) => `${agent} wants to pay ${amount} to ${to ?? 'a payee'}.`,
  escrow_hold: ({ agent, to, amount }) =>
    `${agent} wants to hold ${amount} in escrow${to === null ? '' : ` for ${to}`}.`,
  authorization: ({ agent, to, amount }) => `${agent} wants to let ${to ?? 'a payee'} take up to ${amount}.`,
  expired: ({ agent, amount }) => `${agent} asked for ${amount}. Nothing was paid.`,
  stopped: (agent, status) => `${agent} is ${status}.`,
  paidOut: (agent, amount) => `${amount} from ${agent}.`,
  payoutFailed: (agent, amount) => `${amount} went back to ${agent}.`,
  fundingReversed: (agent, amount) => `${amount} of ${agent}, by a chargeback.`,
  accountVerified: () => 'The bank verified the account.',
  accountRefused: () => 'The bank did not verify the account.',
  accountPending: () => 'The bank is checking the account.',
  appConnected: (agent, daily) => `It may spend up to ${daily} a day from ${agent}.`,
  many(kind, count) {
    switch (kind) {
      case 'approval_requested':
        return `${count} requests of your agents wait.`
      case 'approval_expired':
        return `${count} requests were not decided in time. Nothing was paid.`
      case 'agent_stopped':
        return `${count} agents of yours were stopped.`
      case 'payout_completed':
        return `${count} payouts reached your bank.`
      case 'payout_failed':
        return `${count} payouts failed. The money is back in the wallets.`
      case 'funding_reversed':
        return `${count} fundings were reversed by chargebacks.`
      case 'bank_account_checked':
        return `${count} bank accounts of yours were checked.`
      case 'app_connected':
        return `${count} apps were connected to your agents.`
    }
  },
}

const STOPPED_HI = {
  paused: 'रोका गया है',
  quarantined: 'जाँच के लिए रोका गया है',
  frozen: 'फ़्रीज़ किया गया है',
  deactivated: 'हमेशा के लिए बंद किया गया है',
} as const

const hi: Texts = {
  locale: 'hi-IN',
  titles: {
    approval_requested: 'आपकी मंज़ूरी का इंतज़ार है',
    approval_expired: 'एक अनुरोध का समय निकल गया',
    agent_stopped: 'एक एजेंट रुक गया',
    payout_completed: 'पैसे आपके बैंक पहुँच गए',
    payout_failed: 'बैंक में पैसे नहीं पहुँचे',
    funding_reversed: 'बैंक ने पैसे वापस ले लिए',
    bank_account_checked: 'आपका बैंक खाता',
    app_connected: 'एक ऐप जुड़ा',
  },
  payment: ({ agent, to, amount }) => `${agent} ${to ?? 'किसी'} को ${amount} देना चाहता है।`,
  escrow_hold: ({ agent, to, amount }) =>
    `${agent} ${to === null ? '' : `${to} के लिए `}${amount} एस्क्रो में रखना चाहता है।`,
  authorization: ({ agent, to, amount }) => `${agent} ${to ?? 'किसी'} को ${amount} तक लेने देना चाहता है।`,
  expired: ({ agent, amount }) => `${agent} ने ${amount} माँगे थे। कुछ नहीं चुकाया गया।`,
  stopped: (agent, status) => `${agent} ${STOPPED_HI[status]}।`,
  paidOut: (agent, amount) => `${agent} से ${amount}।`,
  payoutFailed: (agent, amount) => `${amount} ${agent} के वॉलेट में लौट आए।`,
  fundingReversed: (agent, amount) => `${agent} के ${amount}, चार्जबैक से।`,
  accountVerified: () => 'बैंक ने खाते की पुष्टि कर दी।',
  accountRefused: () => 'बैंक ने खाते की पुष्टि नहीं की।',
  accountPending: () => 'बैंक खाते की जाँच कर रहा है।',
  appConnected: (agent, daily) => `वह ${agent} से एक दिन में ${daily} तक खर्च कर सकता है।`,
  many(kind, count) {
    switch (kind) {
      case 'approval_requested':
        return `आपके एजेंटों के ${count} अनुरोध इंतज़ार में हैं।`
      case 'approval_expired':
        return `${count} अनुरोधों पर समय से फ़ैसला नहीं हुआ। कुछ नहीं चुकाया गया।`
      case 'agent_stopped':
        return `आपके ${count} एजेंट रुक गए।`
      case 'payout_completed':
        return `${count} भुगतान आपके बैंक पहुँच गए।`
      case 'payout_failed':
        return `${count} भुगतान बैंक नहीं पहुँचे। पैसे वॉलेट में लौट आए।`
      case 'funding_reversed':
        return `${count} बार बैंक ने चार्जबैक से पैसे वापस ले लिए।`
      case 'bank_account_checked':
        return `आपके ${count} बैंक खातों की जाँच हुई।`
      case 'app_connected':
        return `आपके एजेंटों से ${count} ऐप जुड़े।`
    }
  },
}

export const TEXTS: Readonly<Record<NotificationLanguage, Texts>> = { en, hi }
