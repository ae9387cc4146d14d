import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { AskAmount } from '../../agents/money/ask-amount.tsx'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { ChangeMember } from './change-member.tsx'
import type { Member } from './members.tsx'
import { organizationsTexts } from './texts.ts'

interface MemberActsProps {
  readonly orgId: string
  readonly member: Member
  readonly treasury: Member | undefined
}

type Act = 'allocate' | 'change' | 'treasury' | 'remove'

/** What can be done with a member. The treasury keeps its role until another member is named. */
export function MemberActs({ orgId, member, treasury }: MemberActsProps) {
  const t = useTexts(organizationsTexts)
  const [asked, ask] = useState<Act | null>(null)
  const close = () => ask(null)
  const { agent_name: name } = member
  if (member.role === 'treasury') return '–'
  const button = (act: Act, text: string, label: string) => (
    <Button size="sm" variant="default" aria-label={label} onClick={() => ask(act)}>
      {text}
    </Button>
  )
  return (
    <Group gap="xs" justify="flex-end">
      {treasury !== undefined && button('allocate', t.allocate, t.allocateTo(name))}
      {button('change', t.change, t.changeOne(name))}
      {button('treasury', t.nameTreasury, t.nameOne(name))}
      {button('remove', t.remove, t.removeOne(name))}
      {asked === 'allocate' && treasury !== undefined && (
        <Allocate orgId={orgId} member={member} treasury={treasury} onClose={close} />
      )}
      {asked === 'change' && <ChangeMember orgId={orgId} member={member} onClose={close} />}
      {asked === 'treasury' && <NameTreasury orgId={orgId} member={member} onClose={close} />}
      {asked === 'remove' && <Remove orgId={orgId} member={member} onClose={close} />}
    </Group>
  )
}

interface ActProps {
  readonly orgId: string
  readonly member: Member
  readonly onClose: () => void
}

function Allocate({ orgId, member, treasury, onClose }: ActProps & { readonly treasury: Member }) {
  const t = useTexts(organizationsTexts)
  const format = useFormat()
  const { agent_id, agent_name } = member
  const allocate = useAct('allocate', {
    onDone({ amount }) {
      onClose()
      sayDone(t.isAllocated(format.amount(amount), agent_name))
    },
  })
  return (
    <AskAmount
      opened
      title={t.allocateTo(agent_name)}
      hint={t.allocateHint(treasury.agent_name)}
      act={t.allocateAmount}
      acting={allocate.isPending}
      error={allocate.error}
      onAmount={amount => allocate.mutate({ org_id: orgId, agent_id, amount })}
      onClose={onClose}
    />
  )
}

function NameTreasury({ orgId, member: { agent_id, agent_name }, onClose }: ActProps) {
  const t = useTexts(organizationsTexts)
  const name = useAct('nameTreasury', {
    onDone() {
      onClose()
      sayDone(t.isNamed(agent_name))
    },
  })
  return (
    <Confirm
      opened
      title={t.nameTitle(agent_name)}
      act={t.nameTreasury}
      acting={name.isPending}
      error={name.error}
      onAct={() => name.mutate({ org_id: orgId, agent_id })}
      onClose={onClose}
    >
      <Text>{t.nameHintTreasury}</Text>
    </Confirm>
  )
}

function Remove({ orgId, member: { agent_id, agent_name }, onClose }: ActProps) {
  const t = useTexts(organizationsTexts)
  const remove = useAct('removeMember', {
    onDone() {
      onClose()
      sayDone(t.isRemoved(agent_name))
    },
  })
  return (
    <Confirm
      opened
      title={t.removeTitle(agent_name)}
      act={t.remove}
      danger
      acting={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ org_id: orgId, agent_id })}
      onClose={onClose}
    >
      <Text>{t.removeHint}</Text>
    </Confirm>
  )
}
