import { Button, Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { rupeesIn } from '../agents/rupees.ts'
import { clientFor, type InputOf, type ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Notice } from '../components/notice.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './connect.module.css'
import type { ConnectRequest, OwnAgent, Refusal } from './connect-page.tsx'
import { connectTexts } from './texts.ts'

type Scope = ConnectRequest['scopes'][number]

interface TermsFormProps {
  readonly requestId: string
  readonly request: ConnectRequest
  readonly agents: readonly OwnAgent[]
  readonly refusal: Refusal
  readonly onResponse: (response: ResultOf<'allowConnectRequest'>) => void
  readonly onLoggedOut: () => void
}

/** What the owner writes. */
interface Written {
  readonly agentId: string
  readonly scopes: readonly Scope[]
  readonly daily: string
  readonly perTx: string
  readonly days: string
}

type Terms = Omit<InputOf<'allowConnectRequest'>, 'request_id'>

/** The terms, as far as they are right. */
function termsOf({
  agentId,
  scopes,
  daily,
  perTx,
  days,
}: Written): Partial<Terms> & { readonly isSpending: boolean } {
  const isSpending = scopes.some(scope => scope !== 'wallet:read')
  const perDay = isSpending ? rupeesIn(daily) : 0
  const perPayment = !isSpending ? 0 : perTx.trim() === '' ? perDay : rupeesIn(perTx)
  const ends = /^\d{1,3}$/.test(days.trim()) ? Number(days) : 0
  return {
    isSpending,
    ...(agentId !== '' && { agent_id: agentId }),
    ...(scopes.length > 0 && { scopes: [...scopes] }),
    ...(perDay !== null && (!isSpending || perDay > 0) && { daily: perDay }),
    ...(perPayment !== null && perPayment <= (perDay ?? 0) && { per_tx: perPayment }),
    ...(ends >= 1 && ends <= 365 && { expires_in_days: ends }),
  }
}

/** The agent, what the app may do, its cap and its end. */
export function TermsForm(props: TermsFormProps) {
  const { requestId, request, agents, refusal, onResponse, onLoggedOut } = props
  const t = useTexts(connectTexts)
  const [written, write] = useState<Written>({
    agentId: agents[0]?.agent_id ?? '',
    scopes: request.scopes,
    daily: '500',
    perTx: '200',
    days: '30',
  })
  const [isChecked, check] = useState(false)
  const allow = useAct('allowConnectRequest', { onDone: onResponse })
  const terms = termsOf(written)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    if (submitter instanceof HTMLButtonElement && submitter.value === 'deny') return refusal.onDeny()
    check(true)
    const { agent_id, scopes, daily, per_tx, expires_in_days } = terms
    if (agent_id === undefined || scopes === undefined || daily === undefined) return
    if (per_tx === undefined || expires_in_days === undefined) return
    allow.mutate({ request_id: requestId, agent_id, scopes, daily, per_tx, expires_in_days })
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <NativeSelect
          label={t.agent}
          description={t.agentHint}
          name="agent_id"
          value={written.agentId}
          data={agents.map(({ agent_id: value, name, handle }) => ({ value, label: `${name} (@${handle})` }))}
          onChange={event => write({ ...written, agentId: event.currentTarget.value })}
          error={agents.length === 0 && t.noAgents}
        />
        <Scopes
          asked={request.scopes}
          chosen={written.scopes}
          onChoose={chosen => write({ ...written, scopes: chosen })}
        />
        {isChecked && terms.scopes === undefined && <Notice kind="bad">{t.nothing}</Notice>}
        <CapFields written={written} onWrite={write} terms={terms} isChecked={isChecked} />
        <Text size="sm" c="dimmed">
          {t.noPasswords}
        </Text>
        {allow.error !== null && <ErrorNotice error={allow.error} />}
        <div className={classes.decide}>
          <DenyButton refusal={refusal} />
          <Button
            type="submit"
            name="decision"
            value="allow"
            loading={allow.isPending}
            disabled={agents.length === 0}
          >
            {t.allow}
          </Button>
        </div>
        <LogOut onLoggedOut={onLoggedOut} />
      </Stack>
    </form>
  )
}

interface CapFieldsProps {
  readonly written: Written
  readonly onWrite: (written: Written) => void
  readonly terms: ReturnType<typeof termsOf>
  /** Wrong fields say so. */
  readonly isChecked: boolean
}

/** The cap and the end. */
function CapFields({ written, onWrite: write, terms, isChecked }: CapFieldsProps) {
  const t = useTexts(connectTexts)
  const { isSpending, daily, per_tx, expires_in_days } = terms
  return (
    <div className={classes.cap}>
      <TextInput
        label={t.daily}
        description={t.dailyHint}
        name="daily"
        disabled={!isSpending}
        {...rupeesField}
        value={written.daily}
        onChange={event => write({ ...written, daily: event.currentTarget.value })}
        error={isChecked && daily === undefined && t.amountWrong}
      />
      <TextInput
        label={t.perTx}
        description={t.perTxHint}
        name="per_tx"
        disabled={!isSpending}
        {...rupeesField}
        value={written.perTx}
        onChange={event => write({ ...written, perTx: event.currentTarget.value })}
        error={isChecked && daily !== undefined && per_tx === undefined && t.perTxWrong}
      />
      <TextInput
        label={t.days}
        description={t.daysHint}
        name="expires_in_days"
        inputMode="numeric"
        autoComplete="off"
        value={written.days}
        onChange={event => write({ ...written, days: event.currentTarget.value })}
        error={isChecked && expires_in_days === undefined && t.daysWrong}
      />
    </div>
  )
}

const rupeesField = {
  leftSection: <Text c="dimmed">₹</Text>,
  inputMode: 'decimal',
  autoComplete: 'off',
} as const

interface ScopesProps {
  readonly asked: readonly Scope[]
  readonly chosen: readonly Scope[]
  readonly onChoose: (chosen: readonly Scope[]) => void
}

function Scopes({ asked, chosen, onChoose }: ScopesProps) {
  const t = useTexts(connectTexts)
  return (
    <fieldset className={classes.scopes}>
      <legend>{t.may}</legend>
      <Stack gap="xs">
        {asked.map(scope => (
          <Checkbox
            key={scope}
            label={t.scopes[scope]}
            name="scope"
            value={scope}
            checked={chosen.includes(scope)}
            onChange={event => {
              const { checked } = event.currentTarget
              onChoose(asked.filter(each => (each === scope ? checked : chosen.includes(each))))
            }}
          />
        ))}
      </Stack>
    </fieldset>
  )
}

/** Refuses the app. It needs no login. */
export function DenyButton({ refusal: { denying, error } }: { readonly refusal: Refusal }) {
  const t = useTexts(connectTexts)
  return (
    <Stack gap="xs">
      {error !== null && <ErrorNotice error={error} />}
      <Button type="submit" name="decision" value="deny" variant="default" loading={denying} fullWidth>
        {t.deny}
      </Button>
    </Stack>
  )
}

function LogOut({ onLoggedOut }: { readonly onLoggedOut: () => void }) {
  const t = useTexts(connectTexts)
  return (
    <Button
      variant="subtle"
      size="compact-md"
      onClick={() => void clientFor('owner').logOut({}).finally(onLoggedOut)}
    >
      {t.other}
    </Button>
  )
}
