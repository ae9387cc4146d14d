import type { Agent } from '@batua/sdk'
import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import type { SectionProps } from '../agent-sections.tsx'
import { FindPayee } from './find-payee.tsx'
import { PendingLists } from './pending-lists.tsx'
import { payeesTexts } from './texts.ts'
import { allowedIn, useListChange, usePayeeNames, wantedAllowed, wantedBlocked } from './use-payee-lists.ts'

/** Whom an agent may pay, and whom never. */
export function Payees({ agent }: SectionProps) {
  return (
    <Stack>
      <Allowed agent={agent} />
      <Blocked agent={agent} />
      <PendingLists agent={agent} />
    </Stack>
  )
}

function Allowed({ agent }: { readonly agent: Agent }) {
  const t = useTexts(payeesTexts)
  const [asked, ask] = useState<'payee' | 'anyone' | { readonly removed: string } | null>(null)
  const { update, change, allowAnyone } = useListChange(agent, () => ask(null))
  const allowed = allowedIn(agent)
  const listed = allowed ?? []
  return (
    <Card>
      <Head
        title={t.allowed}
        hint={allowed === null ? t.anyone : listed.length === 0 ? t.nobody : t.onlyThese}
      >
        {allowed !== null && (
          <Button variant="default" onClick={() => ask('anyone')}>
            {t.anyoneAct}
          </Button>
        )}
        <Button variant="default" onClick={() => ask('payee')}>
          {allowed === null ? t.allowOnly : t.allow}
        </Button>
      </Head>
      <PayeeList
        agent={agent}
        ids={listed}
        act={t.remove}
        actOne={t.removeOne}
        acting={update.isPending}
        onAct={removed => ask({ removed })}
      />
      <Warnings texts={update.data?.warnings ?? []} />
      {asked === 'payee' && (
        <FindPayee
          agentId={agent.agent_id}
          title={allowed === null ? t.allowOnly : t.allow}
          hint={allowed === null ? t.allowOnlyHint : t.allowHint}
          act={t.allowOne}
          refuse={id => (id === agent.agent_id ? t.itself : listed.includes(id) ? t.alreadyListed : null)}
          acting={update.isPending}
          error={update.error}
          onPayee={id => change({ allowed_payees: [...wantedAllowed(agent), id] })}
          onClose={() => ask(null)}
        />
      )}
      <Confirm
        opened={asked === 'anyone'}
        title={t.anyoneTitle}
        act={t.anyoneAct}
        acting={update.isPending}
        error={update.error}
        onAct={allowAnyone}
        onClose={() => ask(null)}
      >
        <Text>{t.anyoneHint}</Text>
      </Confirm>
      {asked !== null && typeof asked === 'object' && (
        <RemovePayee
          agent={agent}
          payeeId={asked.removed}
          change={change}
          update={update}
          onClose={() => ask(null)}
        />
      )}
    </Card>
  )
}

interface RemovePayeeProps extends Pick<ReturnType<typeof useListChange>, 'change' | 'update'> {
  readonly agent: Agent
  readonly payeeId: string
  readonly onClose: () => void
}

/** It holds at once, and to take it back waits for the cooldown. */
function RemovePayee({ agent, payeeId, change, update, onClose }: RemovePayeeProps) {
  const t = useTexts(payeesTexts)
  const { nameOf } = usePayeeNames(agent.agent_id)
  return (
    <Confirm
      opened
      title={t.removeOne(nameOf(payeeId))}
      act={t.remove}
      danger
      acting={update.isPending}
      error={update.error}
      onAct={() => change({ allowed_payees: wantedAllowed(agent).filter(each => each !== payeeId) })}
      onClose={onClose}
    >
      <Text>{t.removeHint}</Text>
    </Confirm>
  )
}

function Blocked({ agent }: { readonly agent: Agent }) {
  const t = useTexts(payeesTexts)
  const [isAsked, ask] = useState(false)
  const { update, change } = useListChange(agent, () => ask(false))
  const blocked = agent.policy.blocked_payee_agents
  const close = () => {
    if (update.isError) update.reset()
    ask(false)
  }
  return (
    <Card>
      <Head title={t.blocked} hint={blocked.length === 0 ? t.noneBlocked : t.blockedHint}>
        <Button variant="default" onClick={() => ask(true)}>
          {t.block}
        </Button>
      </Head>
      <PayeeList
        agent={agent}
        ids={blocked}
        act={t.unblock}
        actOne={t.unblockOne}
        acting={update.isPending}
        onAct={id => change({ blocked_payee_agents: wantedBlocked(agent).filter(each => each !== id) })}
      />
      <Warnings texts={update.data?.warnings ?? []} />
      {!isAsked && update.error !== null && (
        <Box mt="md">
          <ErrorNotice error={update.error} />
        </Box>
      )}
      {isAsked && (
        <FindPayee
          agentId={agent.agent_id}
          title={t.block}
          hint={t.blockHint}
          act={t.blockOne}
          refuse={id => (id === agent.agent_id ? t.itself : blocked.includes(id) ? t.alreadyListed : null)}
          acting={update.isPending}
          error={update.error}
          onPayee={id => change({ blocked_payee_agents: [...new Set([...wantedBlocked(agent), id])] })}
          onClose={close}
        />
      )}
    </Card>
  )
}

interface HeadProps {
  readonly title: string
  readonly hint: string
  readonly children: ReactNode
}

function Head({ title, hint, children }: HeadProps) {
  return (
    <Group justify="space-between">
      <div>
        <Title order={2}>{title}</Title>
        <Text c="dimmed">{hint}</Text>
      </div>
      <Group gap="sm">{children}</Group>
    </Group>
  )
}

/** What the service warns of after a change, such as that nobody can be paid meanwhile. */
function Warnings({ texts: warnings }: { readonly texts: readonly string[] }) {
  const t = useTexts(payeesTexts)
  const format = useFormat()
  if (warnings.length === 0) return null
  const texts = warnings.map(warning => {
    if (!warning.includes('can pay nobody')) return warning
    const until = /until (\d{4}-\S+Z)/.exec(warning)?.[1]
    return until === undefined ? t.paysNobody : t.paysNobodyUntil(format.moment(until, new Date()))
  })
  return (
    <Stack mt="md" gap="sm">
      {texts.map(text => (
        <Notice key={text} kind="warn">
          {text}
        </Notice>
      ))}
    </Stack>
  )
}

interface PayeeListProps {
  readonly agent: Agent
  readonly ids: readonly string[]
  readonly act: string
  readonly actOne: (name: string) => string
  readonly acting: boolean
  readonly onAct: (id: string) => void
}

function PayeeList({ agent, ids, act, actOne, acting, onAct }: PayeeListProps) {
  const t = useTexts(payeesTexts)
  const { named, nameOf, handleOf } = usePayeeNames(agent.agent_id)
  if (ids.length === 0) return null
  return (
    <Loaded query={named} loading={t.loading}>
      {() => (
        <ul className={classes.listed}>
          {ids.map(id => (
            <li key={id} className={classes.limit}>
              <Stack gap={0}>
                <Text fw={600}>{nameOf(id)}</Text>
                <Text size="sm" c="dimmed">
                  @{handleOf(id) ?? id}
                </Text>
              </Stack>
              <Button
                size="sm"
                variant="default"
                aria-label={actOne(nameOf(id))}
                loading={acting}
                onClick={() => onAct(id)}
              >
                {act}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}
