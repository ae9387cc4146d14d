import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './login.module.css'
import { SandboxCode } from './sandbox-code.tsx'
import { loginTexts } from './texts.ts'

const SIX_DIGITS = /^\d{6}$/

interface CodeFormProps {
  readonly phone: string
  readonly needsTotp: boolean
  readonly busy: boolean
  readonly error: Error | null
  /** When the last code was asked for. */
  readonly sentTimes: number
  readonly onCode: (code: string, totp: string) => void
  readonly onSendAgain: () => void
  readonly onOtherNumber: () => void
}

/** Asks for the code, and for the authenticator app's where it is needed. */
export function CodeForm(props: CodeFormProps) {
  const { phone, needsTotp, busy, error, sentTimes, onCode, onSendAgain, onOtherNumber } = props
  const t = useTexts(loginTexts)
  const [code, setCode] = useState('')
  const [totp, setTotp] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = () => {
    setWrong(!SIX_DIGITS.test(code))
    if (SIX_DIGITS.test(code)) onCode(code, totp)
  }
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <TextInput
          className={classes.code}
          label={t.code}
          description={t.codeHint(phone)}
          inputMode="numeric"
          autoComplete="one-time-code"
          name="code"
          maxLength={6}
          data-autofocus
          autoFocus
          value={code}
          onChange={event => setCode(event.currentTarget.value.replace(/\D/g, ''))}
          error={isWrong && t.codeWrong}
        />
        {needsTotp && (
          <TextInput
            className={classes.code}
            label={t.totp}
            description={t.totpHint}
            inputMode="numeric"
            autoComplete="off"
            name="totp"
            maxLength={6}
            autoFocus
            value={totp}
            onChange={event => setTotp(event.currentTarget.value.replace(/\D/g, ''))}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" loading={busy} fullWidth>
          {t.logIn}
        </Button>
        <SandboxCode phone={phone} sentTimes={sentTimes} onFill={setCode} />
        <Group justify="space-between" gap="xs">
          <Button variant="subtle" size="compact-md" onClick={onOtherNumber}>
            {t.otherNumber}
          </Button>
          <Button variant="subtle" size="compact-md" onClick={onSendAgain}>
            {t.sendAgain}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
