import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useTexts } from '../language/language.tsx'
import { IS_SANDBOX } from '../shell/mode.ts'
import classes from './login.module.css'
import { loginTexts } from './texts.ts'

const MOBILE = /^[6-9]\d{9}$/

interface PhoneFormProps {
  readonly session: 'owner' | 'admin'
  readonly sending: boolean
  readonly error: Error | null
  readonly onPhone: (phone: string) => void
}

/** Asks for the phone that gets the code. */
export function PhoneForm({ session, sending, error, onPhone }: PhoneFormProps) {
  const t = useTexts(loginTexts)
  const [written, write] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = () => {
    const phone = written.replace(/\D/g, '').replace(/^(?:91|0)(?=\d{10}$)/, '')
    setWrong(!MOBILE.test(phone))
    if (MOBILE.test(phone)) onPhone(phone)
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
          label={t.phone}
          description={session === 'admin' ? t.adminPhoneHint : t.phoneHint}
          type="tel"
          inputMode="tel"
          autoComplete="tel-national"
          name="phone"
          leftSection={<Text c="dimmed">+91</Text>}
          leftSectionWidth={52}
          value={written}
          onChange={event => write(event.currentTarget.value)}
          error={isWrong && t.phoneWrong}
        />
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" loading={sending} fullWidth>
          {t.sendCode}
        </Button>
        {IS_SANDBOX && session === 'admin' && <p className={classes.sandbox}>{t.sandboxAdmin}</p>}
      </Stack>
    </form>
  )
}
