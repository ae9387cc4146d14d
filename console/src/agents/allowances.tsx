import type { Agent, Allowance } from '@batua/sdk'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import classes from './agent.module.css'
import { useAllowanceForm } from './allowance-fields.tsx'
import { allowanceTexts } from './allowance-texts.ts'
import { PayeeField } from './payees/payee-field.tsx'

/** The payees that an agent may pay without asking its owner, and one more. */
export function Allowances({ agent }: { readonly agent: Agent }) {
  const t = useTexts(allowanceTexts)
  const [isAsked, ask] = useState(false)
  const allowances = useRead('listAllowances', { agent_id: agent.agent_id, limit: 100 })
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <SectionTitle hint={t.hint}>{t.title}</SectionTitle>
        <Button variant="default" onClick={() => ask(true)}>
          {t.allow}
        </Button>
      </Group>
      <Loaded query={allowances} loading={t.loading}>
        {({ allowances: list }) =>
          list.length === 0 ? (
            <Text>{t.none}</Text>
          ) : (
            <ul className={classes.limits}>
              {list.map(allowance => (
                <li key={allowance.allowance_id} className={classes.limit}>
                  <OneAllowance allowance={allowance} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAsked && <GiveAllowance agent={agent} onClose={() => ask(false)} />}
    </Card>
  )
}

function OneAllowance({
  allowance: { allowance_id, to, amount, used, until },
}: {
  readonly allowance: Allowance
}) {
  const t = useTexts(allowanceTexts)
  const format = useFormat()
  const payee = useRead('verifyIdentity', { agent_id: to }).data?.name ?? to
  const end = useAct('endAllowance', { onDone: () => sayDone(t.isEnded) })
  return (
    <>
      <div>
        <Text fw={600}>{payee}</Text>
        <Text size="sm" c="dimmed">
          {t.left(format.amount(amount - used), format.amount(amount))} · {t.ends} <Moment at={until} />
        </Text>
      </div>
      <Button
        variant="default"
        aria-label={t.endOne(payee)}
        loading={end.isPending}
        onClick={() => end.mutate({ allowance_id })}
      >
        {t.end}
      </Button>
    </>
  )
}

function GiveAllowance({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const t = useTexts(allowanceTexts)
  const format = useFormat()
  const [written, write] = useState('')
  const [isChecked, check] = useState(false)
  const { allow, fields } = useAllowanceForm(isChecked)
  const to = written.trim()
  const give = useAct('createAllowance', {
    onDone() {
      onClose()
      sayDone(t.isAllowed)
    },
  })
  return (
    <Confirm
      opened
      title={t.allowTitle(agent.name)}
      act={t.act(allow === null ? '' : format.amount(allow.amount))}
      acting={give.isPending}
      error={give.error}
      onAct={() => {
        check(true)
        if (allow !== null && to !== '') give.mutate({ agent_id: agent.agent_id, to, ...allow })
      }}
      onClose={onClose}
    >
      <Text>{t.hint}</Text>
      <PayeeField
        agentId={agent.agent_id}
        written={written}
        onWrite={write}
        error={isChecked && to === '' && t.payeeMissing}
      />
      {fields}
    </Confirm>
  )
}
