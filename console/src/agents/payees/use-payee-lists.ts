import type { Agent } from '@batua/sdk'
import type { InputOf } from '../../api/api.tsx'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { payeesTexts } from './texts.ts'

/** What the service writes for "any active agent". */
const ANYONE = 'network'

type Change = Pick<InputOf<'updateAgent'>, 'allowed_payees' | 'blocked_payee_agents'>

/** The agents that may be paid; null: anyone. */
export function allowedIn({ policy: { allowed_payees } }: Agent): readonly string[] | null {
  return allowed_payees.includes(ANYONE) ? null : allowed_payees
}

/** What the list will be once a change that waits takes effect: further changes are changes of that. */
export function wantedAllowed(agent: Agent): readonly string[] {
  const pending = agent.pending_policy.allowed_payees?.value ?? null
  return pending === null || isAnyone(pending) ? (allowedIn(agent) ?? []) : pending
}

export function wantedBlocked({ policy, pending_policy }: Agent): readonly string[] {
  return pending_policy.blocked_payee_agents?.value ?? policy.blocked_payee_agents
}

export function isAnyone(payees: readonly string[] | null): boolean {
  return payees === null || payees.includes(ANYONE)
}

/** The names of the agents on the lists; an id where a name is not known. */
export function usePayeeNames(agentId: string) {
  const named = useRead('listNamedPayees', { agent_id: agentId })
  const payees = new Map(named.data?.payees.map(payee => [payee.agent_id, payee]))
  return {
    named,
    nameOf: (id: string) => payees.get(id)?.name ?? id,
    handleOf: (id: string) => payees.get(id)?.handle,
  }
}

/** Changes the lists of an agent; says when a part of the change waits. */
export function useListChange({ agent_id }: Agent, onChanged: () => void = () => undefined) {
  const t = useTexts(payeesTexts)
  const update = useAct('updateAgent', {
    onDone({ pending_policy }, input) {
      const waits =
        ('allowed_payees' in input && pending_policy.allowed_payees !== undefined) ||
        ('blocked_payee_agents' in input && pending_policy.blocked_payee_agents !== undefined)
      onChanged()
      sayDone(waits ? t.waits : t.isChanged)
    },
  })
  return {
    update,
    change: (lists: Change) => update.mutate({ agent_id, ...lists }),
    allowAnyone: () => update.mutate({ agent_id, allowed_payees: [ANYONE] }),
  }
}
