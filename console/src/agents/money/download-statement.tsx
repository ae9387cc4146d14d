import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useDownload } from '../../api/use-download.ts'
import { Choice } from '../../components/choice.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useNow } from '../../components/use-now.ts'
import { useTexts } from '../../language/language.tsx'
import { downloadTexts } from './download-texts.ts'
import { type Days, daysOf, isDay, type PeriodName } from './statement-period.ts'

const MINUTE_MS = 60_000
const PERIODS = ['this_month', 'last_month', 'this_year', 'last_year', 'own'] as const satisfies PeriodName[]

interface DownloadStatementProps {
  /** null: all agents of the owner. */
  readonly agentId: string | null
}

/** A button, and behind it the choice of a period and a format. */
export function DownloadStatement({ agentId }: DownloadStatementProps) {
  const t = useTexts(downloadTexts)
  const [isAsked, ask] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => ask(true)}>
        {agentId === null ? t.openAll : t.open}
      </Button>
      {isAsked && <ChooseStatement agentId={agentId} onClose={() => ask(false)} />}
    </>
  )
}

function ChooseStatement({ agentId, onClose }: DownloadStatementProps & { readonly onClose: () => void }) {
  const t = useTexts(downloadTexts)
  const now = useNow(MINUTE_MS)
  const [period, setPeriod] = useState<PeriodName>('this_month')
  const [own, setOwn] = useState<Days>(() => daysOf('this_month', now))
  const [format, setFormat] = useState<'pdf' | 'csv' | 'json'>('pdf')
  const [isChecked, check] = useState(false)
  const onDone = () => {
    onClose()
    sayDone(t.isDone)
  }
  const ofAgent = useDownload('getStatement', { onDone })
  const ofAll = useDownload('getOwnerStatement', { onDone })
  const download = () => {
    check(true)
    if (period === 'own' && (!isDay(own.from_date) || !isDay(own.to_date) || own.to_date < own.from_date))
      return
    const asked = { ...(period === 'own' ? own : daysOf(period, now)), format }
    if (agentId === null) ofAll.mutate(asked)
    else ofAgent.mutate({ agent_id: agentId, ...asked })
  }
  return (
    <Confirm
      opened
      title={agentId === null ? t.titleAll : t.title}
      act={t.act}
      acting={ofAgent.isPending || ofAll.isPending}
      error={ofAgent.error ?? ofAll.error}
      onAct={download}
      onClose={onClose}
    >
      <Text c="dimmed">{t.hint}</Text>
      <NativeSelect
        label={t.period}
        name="period"
        data={PERIODS.map(value => ({ value, label: t.periods[value] }))}
        value={period}
        onChange={event => setPeriod(PERIODS.find(name => name === event.currentTarget.value) ?? period)}
      />
      {period === 'own' && <OwnDays days={own} isChecked={isChecked} onChange={setOwn} />}
      <Choice isField label={t.format} value={format} options={t.formats} onChange={setFormat} />
    </Confirm>
  )
}

interface OwnDaysProps {
  readonly days: Days
  /** Whether a wrong day is said. */
  readonly isChecked: boolean
  readonly onChange: (days: Days) => void
}

function OwnDays({ days: { from_date, to_date }, isChecked, onChange }: OwnDaysProps) {
  const t = useTexts(downloadTexts)
  const wrongEnd = !isDay(to_date) ? t.dayWrong : isDay(from_date) && to_date < from_date && t.orderWrong
  return (
    <Group grow align="start">
      <TextInput
        label={t.from}
        name="from_date"
        type="date"
        value={from_date}
        onChange={event => onChange({ from_date: event.currentTarget.value, to_date })}
        error={isChecked && !isDay(from_date) && t.dayWrong}
      />
      <TextInput
        label={t.to}
        name="to_date"
        type="date"
        value={to_date}
        onChange={event => onChange({ from_date, to_date: event.currentTarget.value })}
        error={isChecked && wrongEnd}
      />
    </Group>
  )
}
