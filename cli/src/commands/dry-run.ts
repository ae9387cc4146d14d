import type { Client, EvaluatePolicyInput, PolicyEvaluation } from '@batua/sdk'
import { EXIT, type ExitCode, exitOfCode } from '../failure.ts'
import { amounts, inr, ist } from '../output.ts'
import type { Session } from '../session.ts'

/** Shows what a payment would come to, with every limit of every layer; exits as the payment would. */
export async function dryRun(
  { out, signal }: Session,
  client: Client,
  order: EvaluatePolicyInput,
): Promise<ExitCode> {
  const { agent_id, to } = order
  const [evaluation, policy, balance] = await Promise.all([
    client.evaluatePolicy(order, { signal }),
    client.getAgentPolicy({ agent_id, to }, { signal }),
    client.getBalance({ agent_id }, { signal }),
  ])
  const { limits, thresholds, max_amount_now } = policy
  const { available } = balance
  out.body({ ...evaluation, available, max_amount_now, limits, thresholds })
  out.facts([
    ['decision', evaluation.decision],
    ['because', evaluation.message],
    ['amount', `${inr(evaluation.amount)} INR`],
    ['fee', `${inr(evaluation.fee)} INR`],
    ['total', `${inr(evaluation.total)} INR`],
    ['balance', `${inr(available)} INR`],
    ['limits allow', max_amount_now === null ? 'any amount' : `${inr(max_amount_now)} INR`],
  ])
  out.lines('')
  out.table(
    ['RULE', 'LAYER', amounts('LIMIT'), amounts('USED'), amounts('LEFT'), 'RESETS (IST)'],
    [
      ...limits.map(each => [
        each.rule,
        each.layer,
        figure(each.rule, each.limit),
        figure(each.rule, each.used),
        figure(each.rule, each.remaining),
        each.resets_at === null ? null : ist(each.resets_at),
      ]),
      ...thresholds.map(({ rule, layer, above }) => [rule, layer, above, null, null, null]),
    ],
  )
  return exitOf(evaluation)
}

/** A number of recipients is no amount. */
function figure(rule: string, value: number | null): string | number | null {
  return rule === 'max_counterparties_per_hour' && value !== null ? String(value) : value
}

function exitOf({ decision, code }: PolicyEvaluation): ExitCode {
  switch (decision) {
    case 'approved':
      return EXIT.done
    case 'approval_required':
      return EXIT.waits
    case 'escrow_required':
      return EXIT.limit
    case 'denied':
      return code === null ? EXIT.notAllowed : exitOfCode(code)
    default:
      return EXIT.failed
  }
}
