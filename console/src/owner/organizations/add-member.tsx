import type { Organization } from '@batua/sdk'
import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useAgentChoice } from '../../agents/use-agent-choice.tsx'
import { useAct } from '../../api/use-act.ts'
import { Choice } from '../../components/choice.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { BudgetField, budgetIn } from './budget-field.tsx'
import { organizationsTexts } from './texts.ts'

interface AddMemberProps {
  readonly organization: Organization
  readonly hasTreasury: boolean
  /** The agents that are members already. */
  readonly members: readonly string[]
  readonly onClose: () => void
}

type Role = 'treasury' | 'admin' | 'worker'

/** Adds an agent of the same owner, with its role and budget. */
export function AddMember({ organization, hasTreasury, members, onClose }: AddMemberProps) {
  const t = useTexts(organizationsTexts)
  const { id: org_id, owner_id } = organization
  const { agents: listed, finder } = useAgentChoice({ owner_id })
  const agents = listed.filter(
    ({ agent_id, status }) => status !== 'deactivated' && !members.includes(agent_id),
  )
  const [chosen, choose] = useState('')
  const [wanted, setRole] = useState<Role>('treasury')
  // The list of members may arrive while this is open.
  const role = hasTreasury && wanted === 'treasury' ? 'worker' : wanted
  const [written, write] = useState('')
  const [isChecked, check] = useState(false)
  const budget = budgetIn(written)
  const name = agents.find(({ agent_id }) => agent_id === chosen)?.name ?? ''
  const add = useAct('addMember', {
    onDone() {
      onClose()
      sayDone(t.isAdded(name))
    },
  })
  const submit = () => {
    check(true)
    if (chosen === '') return
    if (role === 'treasury') add.mutate({ org_id, agent_id: chosen, role })
    else if (budget !== undefined) add.mutate({ org_id, agent_id: chosen, role, budget_limit: budget })
  }
  return (
    <Confirm
      opened
      title={t.addTitle}
      act={t.add}
      acting={add.isPending}
      error={add.error}
      onAct={submit}
      onClose={onClose}
    >
      {agents.length === 0 && <Text>{t.noneToAdd}</Text>}
      {finder}
      <NativeSelect
        label={t.agent}
        value={chosen}
        data={[
          { value: '', label: t.choose },
          ...agents.map(({ agent_id, name: label, handle }) => ({
            value: agent_id,
            label: `${label} (@${handle})`,
          })),
        ]}
        onChange={event => choose(event.currentTarget.value)}
        error={isChecked && chosen === '' && t.chooseMissing}
      />
      <RoleChoice role={role} hasTreasury={hasTreasury} onRole={setRole} />
      {role !== 'treasury' && <BudgetField written={written} onWrite={write} isChecked={isChecked} />}
    </Confirm>
  )
}

interface RoleChoiceProps {
  readonly role: Role
  /** There is at most one treasury. */
  readonly hasTreasury: boolean
  readonly onRole: (role: Role) => void
}

function RoleChoice({ role, hasTreasury, onRole }: RoleChoiceProps) {
  const t = useTexts(organizationsTexts)
  const { treasury, admin, worker } = t.roles
  return hasTreasury ? (
    <Choice
      isField
      label={t.role}
      value={role === 'admin' ? role : 'worker'}
      options={{ worker, admin }}
      onChange={onRole}
    />
  ) : (
    <Choice isField label={t.role} value={role} options={{ treasury, worker, admin }} onChange={onRole} />
  )
}
