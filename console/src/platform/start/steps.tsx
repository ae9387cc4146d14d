import type { FirstSteps } from '@batua/sdk'
import { Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { CreateAgent } from '../create-agent.tsx'
import { CreateOwner } from '../owners/create-owner.tsx'
import { Code } from '../parts.tsx'
import classes from './start.module.css'
import { startTexts } from './texts.ts'

/** What a step needs is written as a variable of the shell, so that no secret is on the page. */
const BASE = () => `BATUA=${location.origin}
AS_PLATFORM=(-H "x-platform-id: $PLATFORM_ID" -H "x-platform-secret: $PLATFORM_SECRET")
JSON='content-type: application/json'`

const OWNER = () => `${BASE()}
curl "$BATUA/v1/owners" "\${AS_PLATFORM[@]}" -H "$JSON" \\
  -d '{"name":"Asha Rao","phone":"9876543210","pan":"ABCPR1234F"}'`
const AGENT = `curl "$BATUA/v1/agents" "\${AS_PLATFORM[@]}" -H "$JSON" \\
  -d '{"owner_id":"'$OWNER_ID'","name":"Research Agent","handle":"research"}'`
const FUND = `curl "$BATUA/v1/agents/$AGENT_ID/fund" -H "x-agent-key: $AGENT_KEY" \\
  -H "$JSON" -d '{"amount":500}'`
const WEBHOOK = `curl -X PATCH "$BATUA/v1/platforms/$PLATFORM_ID" "\${AS_PLATFORM[@]}" -H "$JSON" \\
  -d '{"webhook_url":"https://example.com/webhooks"}'`
const PAY = payCode('$AGENT_ID', { to: 'translator', amount: 10 })

/** The request that makes a payment; the agent's key is a variable, so that no secret is on the page. */
function payCode(agentId: string, body: object): string {
  // In a text between single quotes of the shell, a quote is written outside of them.
  const text = JSON.stringify(body).replaceAll("'", `'\\''`)
  return `curl "$BATUA/v1/agents/${agentId}/pay" -H "x-agent-key: $AGENT_KEY" \\
  -H "$JSON" -d '${text}'`
}

interface StepsProps {
  readonly done: FirstSteps
  readonly hasWebhook: boolean
}

/** The first run: each step says what it is for, and ticks itself off. The last is the first payment. */
export function Steps({ done: { owners, agents, is_funded, first_payment }, hasWebhook }: StepsProps) {
  const t = useTexts(startTexts)
  return (
    <Stack component="ol" className={classes.steps} aria-label={t.steps}>
      <Step
        title={t.owner}
        hint={t.ownerHint}
        code={OWNER()}
        isDone={owners > 0}
        act={<CreateOwner isMain={owners === 0} />}
      />
      <Step
        title={t.agent}
        hint={t.agentHint}
        code={AGENT}
        isDone={agents > 1}
        act={<CreateAgent isMain={agents < 2} />}
      />
      <Step title={t.webhook} hint={t.webhookHint} code={WEBHOOK} isDone={hasWebhook} />
      <Step title={t.fund} hint={t.fundHint} code={FUND} isDone={is_funded} />
      {first_payment === null ? (
        <Step title={t.pay} hint={t.payHint} code={PAY} isDone={false} />
      ) : (
        <FirstPayment payment={first_payment} />
      )}
    </Stack>
  )
}

/** The end of the first run: the payment, and the request that makes the same again. */
function FirstPayment({ payment }: { readonly payment: NonNullable<FirstSteps['first_payment']> }) {
  const t = useTexts(startTexts)
  const format = useFormat()
  const { payment_id, from, from_name, to_name, to_handle, amount, reference, note, created_at } = payment
  const body = {
    to: to_handle,
    amount,
    ...(reference !== null && { reference }),
    ...(note !== null && { note }),
  }
  return (
    <Step title={t.paid} hint={t.paidHint} code={`${BASE()}\n${payCode(from, body)}`} isDone isOpen>
      <Text mb="sm">
        <Link to="/platform/payments/$paymentId" params={{ paymentId: payment_id }}>
          {t.whoPaid(from_name, to_name, format.amount(amount))}
        </Link>{' '}
        <Text span c="dimmed">
          <Moment at={created_at} />
        </Text>
      </Text>
    </Step>
  )
}

interface StepProps {
  readonly title: string
  readonly hint: string
  readonly code: string
  readonly isDone: boolean
  /** The code of a step that is done is closed unless this says otherwise. */
  readonly isOpen?: boolean
  /** The same in this console. */
  readonly act?: ReactNode
  readonly children?: ReactNode
}

function Step({ title, hint, code, isDone, isOpen = !isDone, act, children }: StepProps) {
  const t = useTexts(startTexts)
  return (
    <li>
      <Card>
        <div className={classes.title}>
          <span className={classes.mark} data-done={isDone || undefined}>
            <Icon name={isDone ? 'check' : 'forward'} size={18} />
          </span>
          <Title order={3}>{title}</Title>
          <Text size="sm" c="dimmed">
            {isDone ? t.done : t.open}
          </Text>
        </div>
        <Text c="dimmed" mb="sm">
          {hint}
        </Text>
        {children}
        {/* Also of a step that is done: its dialog may still show a key. */}
        {act !== undefined && <Group mb="sm">{act}</Group>}
        <details open={isOpen}>
          <summary className={classes.summary}>{t.code}</summary>
          <Code isTitled={false} title={t.codeOf(title)} text={code} />
        </details>
      </Card>
    </li>
  )
}
