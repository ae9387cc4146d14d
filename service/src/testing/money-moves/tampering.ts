/** An edit of a row by hand, and its reversal. The first statement selects the row. */
export interface Tampering {
  readonly pick: string
  readonly alter: string
  readonly mend: string
}

const COMPLETED = `select id::text from fundings where status = 'completed' order by id limit 1`
const ARRIVED = `select id::text from payouts where status = 'completed' order by id limit 1`
const SENT = `select transfer_id as id from sandbox_payouts p where accepted_at is not null and behaviour = 'paid'
  order by transfer_id limit 1`

/** Each changes one paisa, or one word. */
export const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'a paisa more in a wallet': {
    pick: `select id::text from accounts order by id limit 1`,
    alter: `update accounts set balance_paise = balance_paise + 1 where id = $1`,
    mend: `update accounts set balance_paise = balance_paise - 1 where id = $1`,
  },
  'a funding that failed although it was credited': {
    pick: COMPLETED,
    alter: `update fundings set status = 'failed' where id = $1`,
    mend: `update fundings set status = 'completed' where id = $1`,
  },
  'a fee that is a paisa too low': {
    pick: `select id::text from fundings where status = 'completed' and fee_paise > 0 order by id limit 1`,
    alter: `update fundings set fee_paise = fee_paise - 1 where id = $1`,
    mend: `update fundings set fee_paise = fee_paise + 1 where id = $1`,
  },
  'a credited payment that the bank took back': {
    pick: `select gateway_payment_id as id from fundings where status = 'completed' order by id limit 1`,
    alter: `update sandbox_payments set charged_back = true where id = $1`,
    mend: `update sandbox_payments set charged_back = false where id = $1`,
  },
  'a refund that was never made': {
    pick: `select refund_id as id from sandbox_refunds where status = 'done' order by refund_id limit 1`,
    alter: `update sandbox_refunds set done_at = null, status = 'failed' where refund_id = $1`,
    mend: `update sandbox_refunds set done_at = created_at, status = 'done' where refund_id = $1`,
  },
  'a payout that arrived and is said to have failed': {
    pick: ARRIVED,
    alter: `update payouts set status = 'failed' where id = $1`,
    mend: `update payouts set status = 'completed' where id = $1`,
  },
  'a bank that got a paisa more': {
    pick: SENT,
    alter: `update sandbox_payouts set amount_paise = amount_paise + 1 where transfer_id = $1`,
    mend: `update sandbox_payouts set amount_paise = amount_paise - 1 where transfer_id = $1`,
  },
  'a bank that got nothing': {
    pick: SENT,
    alter: `update sandbox_payouts set behaviour = 'failed' where transfer_id = $1`,
    mend: `update sandbox_payouts set behaviour = 'paid' where transfer_id = $1`,
  },
  'money sent under a name that is not known here': {
    pick: SENT,
    alter: `insert into sandbox_payouts (transfer_id, provider_payout_id, amount_paise, behaviour, accepted_at)
      select transfer_id || 'x', provider_payout_id, amount_paise, behaviour, accepted_at from sandbox_payouts
      where transfer_id = $1`,
    mend: `delete from sandbox_payouts where transfer_id = $1 || 'x'`,
  },
  'an event that was sent twice': {
    pick: `select id::text from events where name = 'agent.funded' order by id limit 1`,
    alter: `insert into events (id, agent_id, name, data, created_at)
      select '00000000-0000-7000-8000-000000000001', agent_id, name, data, created_at from events where id = $1`,
    mend: `delete from events where id = '00000000-0000-7000-8000-000000000001' and $1 <> ''`,
  },
}
