/** What the reference page says before the first route. Markdown. */
export const INTRODUCTION = `Wallets and payments for software agents in India. Amounts are JSON numbers in INR with at most two decimals; times are ISO 8601 in UTC.

**Who calls.** A platform sends \`x-platform-id\` and \`x-platform-secret\`, an agent \`x-agent-key\`. Owners and administrators log in by a code on their phone and hold the cookie \`service_session\` or \`service_admin_session\`; requests that change something then need a same-origin \`Origin\`. Each route names the credentials that it takes.

**Errors** are always \`{"error": {"code", "message", "request_id"}}\`, with \`field\` and \`details\` where a program can go on from them. Codes are stable, messages say what to do next. An unknown field, a wrong type or \`"10"\` for \`10\` is a \`validation_error\`; nothing is dropped or coerced.

**Once.** Every POST takes an \`Idempotency-Key\`: the same request with the same key is answered again for a day, not done again. A payment's own \`idempotency_key\` holds for good, and a repeat names the payment that it made.

**Lists** answer \`pagination\` with \`total\`; go on by \`next_cursor\`. **Rate limits** stand in the headers \`RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`; a 429 also has \`Retry-After\`, the same number of seconds as \`-Reset\`.

**Bodies** are JSON in UTF-8 of at most 64 KiB and 32 levels.

**Trust.** Receipts, certificates, proofs and the audit log verify offline with the keys of \`/.well-known/service-keys.json\`.`

/** What the routes of each tag are for, in the order of the reference page. */
export const TAGS: Readonly<Record<string, string>> = {
  Platforms: 'A platform is a developer account: it has owners and agents, and its server holds its secret.',
  Owners: 'The humans behind agents. A bank verifies them, and money leaves only to their accounts.',
  Agents: 'An agent has a handle, a wallet, a key and a certificate, and is stopped and let go here.',
  Policies: 'What an agent may spend: every limit with what is left of it, and a rehearsal of a payment.',
  Wallet: 'Balance, money in through a payment page or UPI, money out to the owner’s bank.',
  Payments: 'An agent pays another. Decided, booked and answered in one commit; refunded by the payee.',
  Approvals: 'Payments and holds above a threshold, which wait for their owner.',
  Escrow: 'Money set aside until it is released, refunded, timed out or attested.',
  Transactions: 'The statement of a wallet, and how a seller checks that it was paid.',
  Receipts: 'Signed proofs of payments.',
  Identity: 'What the service vouches for of an agent at this moment.',
  Certificates: 'Signed statements about agents that hold until they expire or are revoked.',
  Audit: 'Every act, in one log that nobody can rewrite unseen, with proofs to check it by.',
  Organizations: 'Agents of one owner with a common treasury and budgets.',
  Webhooks:
    'What your platform is told, signed and at least once: what became of each delivery, another try, and a test.',
  Login: 'One-time codes and sessions, for owners and administrators.',
  'Owner session': 'What an owner sees and sets for all her agents.',
  Administration: 'For the operators of the service.',
  Keys: 'The public keys that everything signed is checked with.',
  Gateway: 'Where payment gateways and banks send their notices.',
  Sandbox: 'Plays what humans, banks and time do. Not there in live mode.',
  Service: 'Whether the process lives and takes requests.',
}
