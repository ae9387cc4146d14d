import { parseId } from '../../../kernel/ids.ts'
import { checkFunding } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { nextCheckAt } from './decide.ts'
import type { Funding } from './funding.ts'
import { mayAskGateway } from './page-bounds.ts'
import { recordOpened, selectFundingBySession } from './store.ts'

/** The funding of a payment session by its public id; null when there is none. */
export async function findFundingBySession(
  context: FundingContext,
  session: string,
): Promise<Funding | null> {
  const id = parseId('ps', session)
  return id === null ? null : selectFundingBySession(context.database, context.vault, id)
}

/**
 * The session in its current state: one whose agent was deactivated is ended before it can be paid. If another page
 * queried the gateway just now the session is returned unchanged, and its page takes no payment.
 */
export async function currentSession(context: FundingContext, funding: Funding): Promise<Funding> {
  if (funding.status !== 'pending' || funding.agentEndedAt === null) return funding
  if (!(await mayAskGateway(context, funding))) return funding
  const checked = await checkFunding(context, funding)
  return checked?.funding ?? funding
}

/** Records that the checkout page was opened: from now on the gateway is polled often. */
export async function openSession(context: FundingContext, funding: Funding): Promise<void> {
  if (funding.openedAt !== null || funding.status !== 'pending') return
  const now = context.clock.now()
  const checkAt = nextCheckAt({ ...funding, openedAt: now }, now)
  if (checkAt !== null) await recordOpened(context.database, funding, now, checkAt)
}
