import { isBatuaError } from '@batua/sdk'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { clientFor } from '../api/api.tsx'
import { useTexts } from '../language/language.tsx'
import { IS_SANDBOX } from '../shell/mode.ts'
import classes from './login.module.css'
import { loginTexts } from './texts.ts'

interface SandboxCodeProps {
  readonly phone: string
  readonly sentTimes: number
  readonly onFill: (code: string) => void
}

/** In the sandbox: what the phone shows. */
export function SandboxCode({ phone, sentTimes, onFill }: SandboxCodeProps) {
  const t = useTexts(loginTexts)
  const { data: code, error } = useQuery({
    queryKey: ['sandbox', 'getSandboxOtp', phone, sentTimes],
    queryFn: async () => (await clientFor('owner').getSandboxOtp({ phone })).code,
    enabled: IS_SANDBOX,
    gcTime: 0,
  })
  if (isBatuaError(error) && error.status === 404) return <p className={classes.sandbox}>{t.sandboxNone}</p>
  if (code === undefined) return null
  return (
    <div className={classes.sandbox} role="status">
      <span className="figures">{t.sandboxCode(code)}</span>
      <Button size="compact-sm" variant="default" onClick={() => onFill(code)}>
        {t.fillIn}
      </Button>
    </div>
  )
}
