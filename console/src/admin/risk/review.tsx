import type { RiskAlertDetails } from '@batua/sdk'
import { Button, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from './risk.module.css'
import { riskTexts } from './texts.ts'

type Outcome = 'dismiss' | 'confirm' | 'quarantine'

const MAX_NOTE = 500

/** Closes an open alert. Each outcome is asked once more, because an alert is reviewed once. */
export function Review({ alert }: { readonly alert: RiskAlertDetails }) {
  const t = useTexts(riskTexts)
  const [asking, ask] = useState<Outcome | null>(null)
  return (
    <div className={classes.acts}>
      <Button variant="default" onClick={() => ask('dismiss')}>
        {t.dismiss}
      </Button>
      <Button variant="default" onClick={() => ask('confirm')}>
        {t.confirm}
      </Button>
      {alert.agent_id !== null && (
        <Button color="red" onClick={() => ask('quarantine')}>
          {t.quarantine}
        </Button>
      )}
      {asking !== null && <Ask alert={alert} outcome={asking} onClose={() => ask(null)} />}
    </div>
  )
}

interface AskProps {
  readonly alert: RiskAlertDetails
  readonly outcome: Outcome
  readonly onClose: () => void
}

function Ask({ alert: { alert_id }, outcome, onClose }: AskProps) {
  const t = useTexts(riskTexts)
  const [written, write] = useState('')
  const note = written.trim()
  const review = useAct('reviewRiskAlert', {
    onDone() {
      onClose()
      sayDone(t.done[outcome])
    },
  })
  return (
    <Confirm
      opened
      title={t.ask[outcome]}
      act={t[outcome]}
      danger={outcome === 'quarantine'}
      acting={review.isPending}
      error={review.error}
      onAct={() => review.mutate({ alert_id, ...DECISIONS[outcome], ...(note === '' ? {} : { note }) })}
      onClose={onClose}
    >
      <Text>{t.explain[outcome]}</Text>
      <Textarea
        label={t.note}
        description={t.noteHint}
        maxLength={MAX_NOTE}
        autosize
        minRows={2}
        value={written}
        onChange={event => write(event.currentTarget.value)}
      />
    </Confirm>
  )
}

const DECISIONS = {
  dismiss: { decision: 'dismiss' },
  confirm: { decision: 'confirm' },
  quarantine: { decision: 'confirm', action: 'quarantine' },
} as const
