import type { Agent, FundingSession } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { Choice } from '../../components/choice.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loading } from '../../components/loading.tsx'
import { Notice } from '../../components/notice.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useFormat, useTexts } from '../../language/language.tsx'
import { IS_SANDBOX } from '../../shell/mode.ts'
import { AskAmount } from './ask-amount.tsx'
import { fundTexts } from './fund-texts.ts'

/** Drawn only by those who add money. */
const QrCode = lazyRouteComponent(() => import('./qr-code.tsx'), 'QrCode')

const CHECK_EVERY_MS = 3_000

type Method = 'upi' | 'card' | 'netbanking'

interface Session extends Pick<FundingSession, 'funding_id' | 'amount' | 'checkout_url' | 'expires_at'> {
  /** The `upi://` address; null: it is paid on the payment page. */
  readonly upi: string | null
}

interface FundProps {
  readonly agent: Pick<Agent, 'agent_id' | 'name' | 'status'>
  /** In a list, where it is one act of many. */
  readonly isListed?: boolean
}

/** Adds money: a QR code for UPI, or the payment page for card and netbanking. */
export function Fund({ agent, isListed = false }: FundProps) {
  const t = useTexts(fundTexts)
  const [isAsked, ask] = useState(false)
  if (agent.status === 'deactivated') return null
  return (
    <>
      <Button
        size={isListed ? 'sm' : 'md'}
        variant={isListed ? 'default' : 'filled'}
        aria-label={t.fundOne(agent.name)}
        onClick={() => ask(true)}
      >
        {t.fund}
      </Button>
      {isAsked && <AddMoney agent={agent} onClose={() => ask(false)} />}
    </>
  )
}

function AddMoney({ agent: { agent_id, name }, onClose }: FundProps & { readonly onClose: () => void }) {
  const t = useTexts(fundTexts)
  const [method, choose] = useState<Method>('upi')
  const [session, open] = useState<Session | null>(null)
  const byUpi = useAct('createUpiCollect', { onDone: made => open({ ...made, upi: made.qr }) })
  const byPage = useAct('createFunding', { onDone: made => open({ ...made, upi: null }) })
  const act = method === 'upi' ? byUpi : byPage
  if (session !== null)
    return <Paying agentId={agent_id} session={session} title={t.title(name)} onClose={onClose} />
  return (
    <AskAmount
      opened
      title={t.title(name)}
      hint={t.hint}
      act={t.continue}
      acting={act.isPending}
      error={act.error}
      onAmount={amount =>
        method === 'upi' ? byUpi.mutate({ agent_id, amount }) : byPage.mutate({ agent_id, amount, method })
      }
      onClose={onClose}
    >
      <Choice isField label={t.method} value={method} options={t.methods} onChange={choose} />
    </AskAmount>
  )
}

interface PayingProps {
  readonly agentId: string
  readonly session: Session
  readonly title: string
  readonly onClose: () => void
}

/** A session that waits for the payment, until it is paid or over. */
function Paying({ agentId, session, title, onClose }: PayingProps) {
  const t = useTexts(fundTexts)
  const { close } = useTexts(componentTexts)
  const funding = useRead(
    'getFunding',
    { agent_id: agentId, funding_id: session.funding_id },
    { everyMs: CHECK_EVERY_MS },
  )
  const status = funding.data?.status ?? 'pending'
  return (
    <Dialog opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': close }}>
      <Stack>
        {status === 'pending' && <Waiting session={session} />}
        <Text role="status" fw={600}>
          <Result session={session} status={status} netAmount={funding.data?.net_amount ?? null} />
        </Text>
        {status !== 'pending' && (
          <Group justify="flex-end">
            <Button onClick={onClose}>{t.done}</Button>
          </Group>
        )}
      </Stack>
    </Dialog>
  )
}

interface ResultProps {
  readonly session: Session
  readonly status: 'pending' | 'completed' | 'failed'
  readonly netAmount: number | null
}

function Result({ session: { expires_at }, status, netAmount }: ResultProps) {
  const t = useTexts(fundTexts)
  const format = useFormat()
  switch (status) {
    case 'completed':
      return t.isAdded(format.amount(netAmount ?? 0))
    case 'failed':
      return t.failed
    case 'pending':
      return (
        <>
          {t.waiting} <Countdown until={expires_at} />
        </>
      )
  }
}

function Waiting({ session: { amount, upi, checkout_url } }: { readonly session: Session }) {
  const t = useTexts(fundTexts)
  const format = useFormat()
  const rupees = format.amount(amount)
  // A device with an app for UPI is one that fingers point at, upright or not; a narrow window with a mouse has none.
  const isTouched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false })
  return (
    <>
      {upi !== null && (
        <>
          <Text>{t.scan(rupees)}</Text>
          <Suspense fallback={<Loading>{t.drawing}</Loading>}>
            <QrCode content={upi} label={t.qr(rupees)} />
          </Suspense>
          {isTouched && (
            <Button component="a" href={upi} variant="default">
              {t.openApp}
            </Button>
          )}
        </>
      )}
      {upi === null && <Text>{t.pageHint(rupees)}</Text>}
      {upi !== null && IS_SANDBOX && <Notice kind="warn">{t.inSandbox}</Notice>}
      <Button
        component="a"
        href={checkout_url}
        target="_blank"
        rel="noopener"
        variant={upi === null || IS_SANDBOX ? 'filled' : 'subtle'}
      >
        {upi === null ? t.toPage : t.otherWay}
      </Button>
    </>
  )
}
