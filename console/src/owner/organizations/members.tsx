import type { Organization } from '@batua/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import agentClasses from '../../agents/agent.module.css'
import type { ResultOf } from '../../api/api.tsx'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { AddMember } from './add-member.tsx'
import { MemberActs } from './member-acts.tsx'
import { organizationsTexts } from './texts.ts'

export type Member = ResultOf<'getBudget'>['members'][number]

interface MembersProps {
  readonly organization: Organization
  readonly members: readonly Member[]
}

/** The members with their roles and budgets, each to be changed, and one more. */
export function Members({ organization, members }: MembersProps) {
  const t = useTexts(organizationsTexts)
  const [isAsked, ask] = useState(false)
  const treasury = members.find(({ role }) => role === 'treasury')
  const columns: readonly Column<Member>[] = [
    { id: 'agent', name: t.agent, cell: member => <Name member={member} /> },
    { id: 'spent', name: t.spent, cell: member => <Spent member={member} /> },
    { id: 'budget', name: t.budget, cell: member => <BudgetOf member={member} /> },
    {
      id: 'act',
      name: t.act,
      align: 'end',
      cell: member => <MemberActs orgId={organization.id} member={member} treasury={treasury} />,
    },
  ]
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t.members}</Title>
        <Button
          variant="default"
          disabled={members.length >= organization.max_agents || organization.status === 'frozen'}
          onClick={() => ask(true)}
        >
          {t.add}
        </Button>
      </Group>
      {members.length === 0 ? (
        <Card>
          <EmptyState
            icon="people"
            title={t.noMembers}
            action={
              <Button variant="light" disabled={organization.status === 'frozen'} onClick={() => ask(true)}>
                {t.addFirst}
              </Button>
            }
          />
        </Card>
      ) : (
        <Card flush>
          <DataTable label={t.members} columns={columns} rows={members} rowKey={({ agent_id }) => agent_id} />
        </Card>
      )}
      {isAsked && (
        <AddMember
          organization={organization}
          hasTreasury={treasury !== undefined}
          members={members.map(({ agent_id }) => agent_id)}
          onClose={() => ask(false)}
        />
      )}
    </Stack>
  )
}

function Name({ member: { agent_id, agent_name, role } }: { readonly member: Member }) {
  const t = useTexts(organizationsTexts)
  return (
    <Stack gap={0}>
      <Link to="/agents/$agentId" params={{ agentId: agent_id }}>
        {agent_name}
      </Link>
      <Text size="sm" c="dimmed">
        {t.roles[role]}
      </Text>
    </Stack>
  )
}

function Spent({ member: { agent_name, spent_this_month, budget_limit } }: { readonly member: Member }) {
  const t = useTexts(organizationsTexts)
  const format = useFormat()
  if (budget_limit === null) return <Amount rupees={spent_this_month} />
  return (
    <Stack gap={0}>
      <span className="figures">
        {t.spentOf(format.amount(spent_this_month), format.amount(budget_limit))}
      </span>
      <progress
        className={agentClasses.bar}
        aria-label={`${agent_name}: ${t.spent}`}
        max={Math.max(budget_limit, 0.01)}
        value={Math.min(spent_this_month, budget_limit)}
      />
    </Stack>
  )
}

/** The budget in force, and a larger one that waits for the cooldown. */
function BudgetOf({ member: { budget_limit, pending_budget } }: { readonly member: Member }) {
  const t = useTexts(organizationsTexts)
  const format = useFormat()
  const text = (budget: number | null) => (budget === null ? t.noBudget : format.amount(budget))
  return (
    <Stack gap={0}>
      <span>{text(budget_limit)}</span>
      {pending_budget !== null && (
        <Text size="sm" c="dimmed">
          {t.pending(text(pending_budget.value))} <Moment at={pending_budget.effective_at} />
        </Text>
      )}
    </Stack>
  )
}
