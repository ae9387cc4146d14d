import { FORMATS } from '@batua/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { TOOL_NAMES, type Tool, type ToolName } from './tool.ts'
import { fetchPaidUrl } from './tools/fetch-paid-url.ts'
import { holdEscrowTool } from './tools/hold-escrow.ts'
import { openAuthorization } from './tools/open-authorization.ts'
import {
  getApprovalTool,
  getPaymentTool,
  payTool,
  refund,
  requestApproval,
  verifyReceiptTool,
} from './tools/payment-tools.ts'
import { quotePaidUrl } from './tools/quote-paid-url.ts'
import { checkPayment, getWallet, listTransactionsTool } from './tools/wallet-tools.ts'

const BY_NAME: { readonly [Name in ToolName]: Tool<Name> } = {
  get_wallet: getWallet,
  check_payment: checkPayment,
  pay: payTool,
  get_payment: getPaymentTool,
  list_transactions: listTransactionsTool,
  quote_paid_url: quotePaidUrl,
  fetch_paid_url: fetchPaidUrl,
  request_approval: requestApproval,
  get_approval: getApprovalTool,
  hold_escrow: holdEscrowTool,
  open_authorization: openAuthorization,
  refund,
  verify_receipt: verifyReceiptTool,
}

/** Every tool, in the order of their names. */
export const TOOLS: readonly Tool[] = TOOL_NAMES.map(name => BY_NAME[name])

export function findTool(name: string): Tool | null {
  return TOOLS.find(tool => tool.name === name) ?? null
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS })
const checks = new Map<Tool, ValidateFunction>()

export interface InvalidArgument {
  readonly field: string | null
  readonly message: string
  /** The pointers to what quotes names that only the caller has chosen. */
  readonly untrusted: string[]
}

/** What is wrong with the arguments of a call; null: nothing. */
export function invalidArgument(tool: Tool, input: unknown): InvalidArgument | null {
  const check = checks.get(tool) ?? ajv.compile(tool.input)
  checks.set(tool, check)
  if (check(input)) return null
  const [error] = check.errors ?? []
  const { instancePath = '', params = {}, message = 'is not valid' } = error ?? {}
  const named: unknown = Reflect.get(params, 'missingProperty') ?? Reflect.get(params, 'additionalProperty')
  const path = [...instancePath.split('/').slice(1), ...(typeof named === 'string' ? [named] : [])]
  const field = path.length === 0 ? null : path.join('.')
  return {
    field,
    message: `The arguments of ${tool.name}${instancePath === '' ? '' : ` at ${instancePath}`}: ${message}`,
    untrusted: isDeclared(tool.input, path) ? [] : ['/field', '/message'],
  }
}

/** Whether the schema names each part of a path. */
function isDeclared(schema: unknown, [part, ...rest]: readonly string[]): boolean {
  if (part === undefined) return true
  const { properties, items }: { properties?: object; items?: unknown } = Object(schema)
  const inner: unknown = Object.hasOwn({ ...properties }, part) ? Reflect.get({ ...properties }, part) : items
  return inner !== undefined && isDeclared(inner, rest)
}
