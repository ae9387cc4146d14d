/** The introduction of the reference page. Markdown. */
export const INTRODUCTION = `Wallets and payments for software agents in India. Amounts are JSON numbers in INR with at most two decimals. Times are ISO 8601 in UTC.

**Credentials.** A platform sends \`x-platform-id\` and \`x-platform-secret\`, an agent sends \`x-agent-key\`. Owners and administrators log in with a code that is sent to their phone and hold the cookie \`service_session\` or \`service_admin_session\`. A request that changes something with such a cookie also needs a same-origin \`Origin\` header. Each route names the credentials that it accepts.

**Errors** are always \`{"error": {"code", "message", "request_id"}}\`, with \`field\` and \`details\` where they help a program to continue. Codes are stable. Messages say what to do next. An unknown field, a wrong type or \`"10"\` for \`10\` is a \`validation_error\`; \`details.fields\` lists all wrong fields. Nothing is ignored or converted.

**Idempotency.** Every POST accepts an \`Idempotency-Key\`: for 24 hours, the same request with the same key returns the first response and does nothing. A key that moved money never expires: a repeat names what the key made, and \`same_request\` says whether that was the same request. An agent's keys are one namespace for its payments, refunds and withdrawals; a platform's and an owner's keys are others.

**Lists** return \`pagination\` with \`total\`; read on with \`next_cursor\`. **Rate limits** are in the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. A 429 also has \`Retry-After\`, the same number of seconds as \`RateLimit-Reset\`.

**Bodies** are JSON in UTF-8 of at most 64 KiB and 32 levels.

**Signatures.** Receipts, certificates, proofs and the audit log can be verified offline with the keys at \`/.well-known/service-keys.json\`.`

/** Every tag with the purpose of its routes, in the groups and the order of the reference page. */
export const TAG_GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Set up': {
    Platforms:
      'A platform is a developer account. It creates owners and agents, and its server keeps its secret.',
    Owners:
      'The people who own agents. A bank verifies them, and withdrawals go to their bank accounts only.',
    Agents: 'An agent has a handle, a wallet, a key and a certificate. It is paused and deactivated here.',
    Policies: 'What an agent may spend: each limit with what is left of it, and a dry run of a payment.',
    Organizations: 'Agents of one owner that share a treasury and have monthly budgets.',
  },
  'Move money': {
    Wallet: 'The balance, funding by a checkout page or UPI, and withdrawals to the owner’s bank account.',
    Payments: 'An agent pays another agent. The payment is decided and posted in one commit.',
    'Connected apps':
      'Assistants that an owner has connected to one of her agents. They call the tools at `/mcp` with a token of their own, and spend at most what she allows.',
    Approvals: 'Payments and escrow holds above a threshold, which wait for the owner.',
    Authorizations:
      'Money that is set aside for one payee, who captures it in parts; what is left goes back.',
    Escrow: 'Money that is held until it is released, refunded, timed out or attested.',
    Transactions: 'The statement of a wallet, and how a seller verifies that it was paid.',
    Discovery: 'Sellers that have registered what they sell, for everybody to find.',
    x402: 'For sellers whose buyers pay by x402: the service is their facilitator.',
  },
  'Verify and prove': {
    Receipts: 'Signed proofs of payments.',
    Identity: 'What the service currently confirms about an agent.',
    Certificates: 'Signed statements about agents, valid until they expire or are revoked.',
    Audit: 'The tamper-evident log of every change, with proofs.',
    Keys: 'The public keys that verify every signature of the service.',
  },
  'Receive events': {
    Webhooks: 'Signed events, delivered at least once. List deliveries, retry one, and send a test.',
  },
  'People and operation': {
    Login: 'One-time codes, passkeys and sessions, for owners and administrators.',
    Passkeys:
      'Keys on the devices of owners and administrators, which confirm what matters and leave a proof of it.',
    'Owner session': 'What an owner sees and sets for all her agents.',
    Notifications: 'What an owner is notified of, in which browsers and by messages: a text and a link.',
    Administration: 'For the operators of the service.',
    Gateway: 'Where payment gateways and banks send their webhooks.',
    Sandbox: 'Simulates people, banks and time. Absent in live mode.',
    Service: 'Whether the process is alive and whether it is ready for requests.',
  },
}

/** The purpose of the routes of each tag, in the order of the reference page. */
export const TAGS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(TAG_GROUPS))

/** What each example shows, by the title of a schema that has several. */
export const EXAMPLE_NAMES: Readonly<Record<string, readonly string[]>> = {
  CreatePlatformRequest: ['complete', 'name_only'],
  UpdatePlatformRequest: ['change_webhook_url', 'remove_email'],
  CreateOwnerRequest: ['complete', 'without_email'],
  CreateAgentRequest: ['tier_defaults', 'own_limits'],
  UpdateAgentRequest: ['set_limit', 'name_origins', 'remove_limit'],
  HandleAvailability: ['available', 'taken'],
  AgentExistence: ['exists', 'unknown'],
  EvaluateRequest: ['by_handle', 'by_id'],
  PolicyEvaluation: ['approved', 'approval_required'],
  UpdateOwnerPolicyRequest: ['all_owners', 'one_owner'],
  CreateFundingRequest: ['any_method', 'upi_only'],
  CreateUpiCollectRequest: ['collect_request', 'qr_code'],
  WithdrawRequest: ['amount', 'whole_balance'],
  PayRequest: ['invoice', 'with_context', 'pay_per_call'],
  PaymentResult: ['completed', 'pending_approval'],
  Payment: ['completed', 'pending_approval'],
  RefundRequest: ['part', 'rest'],
  AuthorizeRequest: ['one_day', 'one_hour'],
  AuthorizationCreated: ['open', 'with_vouchers'],
  CaptureRequest: ['total', 'last_amount'],
  HoldEscrowRequest: ['payee_at_release', 'named_payee'],
  HoldEscrowWithTimeoutRequest: ['refund_at_timeout', 'release_at_timeout'],
  EscrowHeld: ['held', 'with_timeout', 'with_attestation'],
  ReleaseEscrowRequest: ['name_payee', 'named_payee'],
  Verification: ['verified', 'not_found'],
  ReceiptVerification: ['valid', 'not_found'],
  CertificateVerification: ['valid', 'revoked'],
  X402Verification: ['paid', 'not_paid'],
  X402Settlement: ['settled', 'refused'],
  VerifyAdminOtpRequest: ['code', 'code_and_second_factor'],
  ReviewRiskAlertRequest: ['dismiss', 'quarantine'],
  CompleteSandboxPaymentRequest: ['success', 'success_by_card', 'failure'],
}
