/** Amounts of docs/sandbox.md that make the gateway fail when a payment session is opened. */
export const FUNDING_AMOUNTS = [
  '9401',
  '9407',
  '9422',
  '9429',
  '9502',
  '9200',
  '9408',
  '9409',
  '9100',
] as const

/** Amounts of docs/sandbox.md that make the provider of payouts fail once. */
export const PAYOUT_AMOUNTS = [
  '9401',
  '9429',
  '9407',
  '9422',
  '9502',
  '9200',
  '9408',
  '9409',
  '9100',
] as const

/** UPI ids of docs/sandbox.md, each with a payer of its own kind. */
export const UPI_IDS = [
  'testsuccess@gocash',
  'testfailure@gocash',
  'asha@examplebank',
  'testincorrect@gocash',
  'testnocollect@gocash',
] as const
