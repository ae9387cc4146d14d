import type { Approval } from '@batua/sdk'
import { Button, Checkbox, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useAllowanceForm } from '../../agents/limits/allowance-fields.tsx'
import { allowanceTexts } from '../../agents/limits/allowance-texts.ts'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from './inbox.module.css'
import { inboxTexts } from './texts.ts'

/** Approve or decline. Both are asked once more, because neither can be taken back. */
export function Decision({ approval }: { readonly approval: Approval }) {
  const t = useTexts(inboxTexts)
  const [asking, ask] = useState<'approve' | 'decline' | null>(null)
  const close = () => ask(null)
  return (
    <div className={classes.decide}>
      <Button variant="default" size="lg" onClick={() => ask('decline')}>
        {t.decline}
      </Button>
      <Button size="lg" onClick={() => ask('approve')}>
        {t.approve}
      </Button>
      {asking === 'approve' && <Approve approval={approval} onClose={close} />}
      <Decline approval={approval} opened={asking === 'decline'} onClose={close} />
    </div>
  )
}

interface AskProps {
  readonly approval: Approval
  readonly opened: boolean
  readonly onClose: () => void
}

type InboxTexts = (typeof inboxTexts)['en']

interface Asked {
  readonly rupees: string
  readonly total: string
  readonly to: string
  readonly agent: string
}

/** What is asked, done and said of each kind of request. */
const wordsOf = {
  payment: (t: InboxTexts, { rupees, total, to, agent }: Asked) => ({
    ...{ title: t.approvePayment(rupees, to), act: t.pay(rupees), done: t.paid(rupees, to) },
    consequence: t.leaves(total, agent),
  }),
  escrow_hold: (t: InboxTexts, { rupees, total, agent }: Asked) => ({
    ...{ title: t.approveHold(rupees), act: t.doHold(rupees), done: t.isHeld(rupees) },
    consequence: t.held(total, agent),
  }),
  authorization: (t: InboxTexts, { rupees, total, to, agent }: Asked) => ({
    ...{ title: t.approveUpTo(rupees, to), act: t.doSetAside(rupees), done: t.isSetAside(rupees, to) },
    consequence: t.setAside(total, agent),
  }),
}

function Approve({ approval, onClose }: Omit<AskProps, 'opened'>) {
  const { approval_id, kind, agent_name, to_name, amount, fee } = approval
  const t = useTexts(inboxTexts)
  const format = useFormat()
  const [rupees, total] = [format.amount(amount), format.amount(amount + fee)]
  const words = wordsOf[kind](t, { rupees, total, to: to_name ?? '', agent: agent_name })
  const given = useTexts(allowanceTexts)
  const [isAllowing, setAllowing] = useState(false)
  const [isChecked, check] = useState(false)
  const { allow, fields } = useAllowanceForm(isChecked)
  const approve = useAct('approve', {
    onDone() {
      onClose()
      sayDone(words.done)
    },
  })
  return (
    <Confirm
      opened
      title={words.title}
      act={isAllowing && allow !== null ? given.and(words.act, format.amount(allow.amount)) : words.act}
      acting={approve.isPending}
      error={approve.error}
      onAct={() => {
        check(true)
        if (!isAllowing) approve.mutate({ approval_id })
        else if (allow !== null) approve.mutate({ approval_id, allow })
      }}
      onClose={onClose}
    >
      <Text>{words.consequence}</Text>
      {to_name !== null && (
        <Checkbox
          label={given.beside(to_name)}
          description={given.hint}
          checked={isAllowing}
          onChange={event => setAllowing(event.currentTarget.checked)}
        />
      )}
      {isAllowing && fields}
    </Confirm>
  )
}

function Decline({ approval, opened, onClose }: AskProps) {
  const { approval_id, agent_name } = approval
  const t = useTexts(inboxTexts)
  const [written, write] = useState('')
  const reason = written.trim()
  const decline = useAct('reject', {
    onDone() {
      onClose()
      sayDone(t.declined)
    },
  })
  return (
    <Confirm
      opened={opened}
      title={t.declineTitle}
      act={t.decline}
      danger
      acting={decline.isPending}
      error={decline.error}
      onAct={() => decline.mutate({ approval_id, ...(reason === '' ? {} : { reason }) })}
      onClose={onClose}
    >
      <Text>{t.declineText(agent_name)}</Text>
      <Textarea
        label={t.reason}
        description={t.reasonHint}
        maxLength={280}
        autosize
        minRows={2}
        value={written}
        onChange={event => write(event.currentTarget.value)}
      />
    </Confirm>
  )
}
