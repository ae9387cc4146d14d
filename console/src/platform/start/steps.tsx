import { Stack, Text, Title } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import { useTexts } from '../../language/language.tsx'
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
const PAY = `curl "$BATUA/v1/agents/$AGENT_ID/pay" -H "x-agent-key: $AGENT_KEY" \\
  -H "$JSON" -d '{"to":"translator","amount":10}'`
const WEBHOOK = `curl -X PATCH "$BATUA/v1/platforms/$PLATFORM_ID" "\${AS_PLATFORM[@]}" -H "$JSON" \\
  -d '{"webhook_url":"https://example.com/webhooks"}'`

/** The first run: each step says what it is for, and ticks itself off. */
export function Steps({ hasWebhook }: { readonly hasWebhook: boolean }) {
  const t = useTexts(startTexts)
  const owners = useRead('listOwners', { limit: 1 }).data?.pagination.total ?? 0
  const agents = useRead('listAgents', { limit: 2 }).data
  const [one, other] = agents?.agents ?? []
  const [ofOne, ofOther] = [useMoney(one?.agent_id), useMoney(other?.agent_id)]
  return (
    <Stack component="ol" className={classes.steps} aria-label={t.steps}>
      <Step title={t.owner} hint={t.ownerHint} code={OWNER()} isDone={owners > 0} />
      <Step title={t.agent} hint={t.agentHint} code={AGENT} isDone={(agents?.pagination.total ?? 0) > 1} />
      <Step title={t.fund} hint={t.fundHint} code={FUND} isDone={ofOne.in || ofOther.in} />
      <Step title={t.pay} hint={t.payHint} code={PAY} isDone={ofOne.out || ofOther.out} />
      <Step title={t.webhook} hint={t.webhookHint} code={WEBHOOK} isDone={hasWebhook} />
    </Stack>
  )
}

/** Whether money came into the wallet of an agent, and whether it paid. */
function useMoney(agentId: string | undefined): { readonly in: boolean; readonly out: boolean } {
  const input = { agent_id: agentId ?? '', status: 'completed', limit: 1 } as const
  const enabled = agentId !== undefined
  const funded = useRead('listTransactions', { ...input, type: 'fund' }, { enabled })
  const paid = useRead('listTransactions', { ...input, type: 'pay_out' }, { enabled })
  return {
    in: (funded.data?.pagination.total ?? 0) > 0,
    out: (paid.data?.pagination.total ?? 0) > 0,
  }
}

interface StepProps {
  readonly title: string
  readonly hint: string
  readonly code: string
  readonly isDone: boolean
}

function Step({ title, hint, code, isDone }: StepProps) {
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
        {!isDone && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
          <pre className={classes.code} tabIndex={0}>
            {code}
          </pre>
        )}
      </Card>
    </li>
  )
}
