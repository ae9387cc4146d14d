import { getOwnerStatement, getStatement, type QueryOf } from '@batua/contract'
import { ownerOfSession } from '../../../../http/caller.ts'
import { type Span, spanOf } from '../../../../http/date-span.ts'
import type { Serve } from '../../../../http/serve.ts'
import { AppError } from '../../../../kernel/app-error.ts'
import { formatId } from '../../../../kernel/ids.ts'
import { requireAgentAccess, selectAgentsOf } from '../../../parties/index.ts'
import { type ExportContext, exportStatement, mediaTypeOf } from './export-statement.ts'
import { openExports } from './open-exports.ts'

export interface StatementsContext extends ExportContext {
  /** Ends the statements that are still under way when the service has waited long enough for them. */
  readonly stopping: AbortSignal
}

export function serveStatements(serve: Serve, context: StatementsContext): void {
  const { database } = context
  const exports = openExports(context.stopping)

  serve(getStatement, async ({ caller, params, query, now }) => {
    const { span, format } = asked(query)
    const agent = await requireAgentAccess(database, caller, params.agent_id)
    const id = formatId('agt', agent.id)
    const whose = { agentId: id, title: agent.name, subtitle: `@${agent.handle}  ·  ${id}` }
    const body = await exports.open(caller, () =>
      exportStatement(context, { ...whose, wallets: [agent.id], span, format, now }),
    )
    return { type: mediaTypeOf(format), body, fileName: fileName(agent.handle, query) }
  })

  serve(getOwnerStatement, async ({ caller, query, now }) => {
    const { span, format } = asked(query)
    const ownerIds = query.owner_id === undefined ? caller.ownerIds : [ownerOfSession(caller, query.owner_id)]
    const body = await exports.open(caller, async () => {
      const wallets = await selectAgentsOf(database, ownerIds)
      const count = `${wallets.length} ${wallets.length === 1 ? 'agent' : 'agents'}`
      const whose = { agentId: null, title: 'All agents', subtitle: `All agents  ·  ${count}` }
      return exportStatement(context, { ...whose, wallets, span, format, now })
    })
    return { type: mediaTypeOf(format), body, fileName: fileName('all-agents', query) }
  })
}

type Query = Omit<QueryOf<typeof getOwnerStatement>, 'owner_id'>

function asked({ from_date, to_date, format = 'json' }: Query) {
  const span = spanOf(from_date, to_date)
  if (isReversed(span)) {
    throw new AppError('validation_error', 'to_date must not be before from_date', { field: 'to_date' })
  }
  return { span, format }
}

function isReversed({ from, until }: Span): boolean {
  return from !== null && until !== null && until <= from
}

/** Handles and dates have no character that a file name or a header must not have; a moment's colons are left out. */
function fileName(whose: string, { from_date, to_date, format = 'json' }: Query): string {
  const days = [from_date, to_date].map(text => text?.replaceAll(/[^\dTZtz-]/g, '') ?? '')
  const [from, to] = days
  const period = from === to ? [from] : [from, to]
  return `${['statement', whose, ...period].filter(part => part !== '').join('_')}.${format}`
}
