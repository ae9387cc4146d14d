import { texts } from '../language/texts.ts'

export const changesTexts = texts({
  en: {
    title: 'Changes of limits',
    hint: 'What decided the payments of this agent, and since when. A change that waits for the cooldown is listed once it holds.',
    change: 'Change the limits',
    loading: 'Loading the changes…',
    what: 'What',
    by: 'By',
    since: 'Holds since',
    first: 'First policy',
    fromTo: (from: string, to: string) => `from ${from} to ${to}`,
    controls: {
      tier: 'Tier',
      allowed_payees: 'Whom it may pay',
      blocked_payee_agents: 'Whom it may not pay',
    },
    noLimit: 'no limit',
    anyone: 'anyone on the network',
    nobody: 'nobody',
    services: {
      'limit increases': 'The end of a cooldown',
      'policy history': 'Held when the history began',
    },
  },
  hi: {
    title: 'सीमाओं के बदलाव',
    hint: 'इस एजेंट के भुगतान किसने तय किए, और कब से। जो बदलाव इंतज़ार में है, वह लागू होने पर यहाँ दिखता है।',
    change: 'सीमाएँ बदलें',
    loading: 'बदलाव आ रहे हैं…',
    what: 'क्या',
    by: 'किसने',
    since: 'कब से लागू',
    first: 'पहली नीति',
    fromTo: (from, to) => `${to} (पहले: ${from})`,
    controls: {
      tier: 'टियर',
      allowed_payees: 'किसे दे सकता है',
      blocked_payee_agents: 'किसे नहीं दे सकता',
    },
    noLimit: 'कोई सीमा नहीं',
    anyone: 'नेटवर्क पर किसी को भी',
    nobody: 'किसी को नहीं',
    services: {
      'limit increases': 'इंतज़ार पूरा होने पर',
      'policy history': 'इतिहास की शुरुआत में लागू',
    },
  },
})
