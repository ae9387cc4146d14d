import { Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Choice } from '../../components/choice.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { BudgetField, budgetIn } from './budget-field.tsx'
import type { Member } from './members.tsx'
import { organizationsTexts } from './texts.ts'

interface ChangeMemberProps {
  readonly orgId: string
  readonly member: Member
  readonly onClose: () => void
}

/** Changes the role and the budget of a member. Writing the budget in force again cancels one that waits. */
export function ChangeMember({ orgId, member, onClose }: ChangeMemberProps) {
  const t = useTexts(organizationsTexts)
  const { agent_id, agent_name, budget_limit } = member
  const [role, setRole] = useState<'admin' | 'worker'>(member.role === 'admin' ? 'admin' : 'worker')
  const [written, write] = useState(budget_limit === null ? '' : String(budget_limit))
  const [isChecked, check] = useState(false)
  const budget = budgetIn(written)
  const change = useAct('updateMember', {
    onDone({ pending_budget }) {
      onClose()
      sayDone(pending_budget === null ? t.isChanged(agent_name) : t.waits)
    },
  })
  const submit = () => {
    check(true)
    if (budget !== undefined) change.mutate({ org_id: orgId, agent_id, role, budget_limit: budget })
  }
  const { admin, worker } = t.roles
  return (
    <Confirm
      opened
      title={t.changeOne(agent_name)}
      act={t.save}
      acting={change.isPending}
      error={change.error}
      onAct={submit}
      onClose={onClose}
    >
      <Text c="dimmed">{t.changeHint}</Text>
      <Choice isField label={t.role} value={role} options={{ worker, admin }} onChange={setRole} />
      <BudgetField written={written} onWrite={write} isChecked={isChecked} />
    </Confirm>
  )
}
