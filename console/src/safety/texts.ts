import { plural, texts } from '../language/texts.ts'

export const safetyTexts = texts({
  en: {
    title: 'Safety',
    lead: 'Your passkeys, and where you are logged in.',
    ownerLead:
      'Stop everything at once, protect what you decide, choose your notifications, and see where you are logged in.',
    sections: { login: 'Login', apps: 'Permissions', notifications: 'Notifications' },
    stop: 'Emergency stop',
    stopHint:
      'One tap for when something is wrong: from the next payment on, none of your agents pays or receives.',
    toPaused: 'See the paused agents, and resume each when you are ready',
    noneActive: 'No agent was active: all were stopped already',
    stopAll: 'Pause all agents',
    stopText:
      'Every active agent of yours is paused at once. What they reserved before can be collected for ten more minutes; then the rest comes back. Your money can still be withdrawn to your bank. You resume each agent when you are ready.',
    areStopped: (count: number) =>
      plural.en(count, { one: '# agent is paused', other: '# agents are paused' }),
    loading: 'Loading your sessions…',
    sessions: 'Sessions',
    browser: 'Browser',
    unknown: 'Unknown browser',
    current: 'This one',
    network: 'Network',
    opened: 'Opened',
    used: 'Last used',
    act: 'Act',
    end: 'End',
    endOne: (browser: string) => `End the session of ${browser}`,
    endHint:
      'The person who uses it has to log in again. If it is your browser, it gets no notifications until then.',
    ended: 'The session has ended',
    endOthers: 'End all others',
    endOthersHint: 'Everybody who is logged in as you elsewhere has to log in again. This session stays.',
    othersEnded: (count: number) =>
      plural.en(count, { one: '# session has ended', other: '# sessions have ended' }),
  },
  hi: {
    title: 'सुरक्षा',
    lead: 'आपकी पासकी, और आप कहाँ-कहाँ लॉग इन हैं।',
    ownerLead: 'सब कुछ एक साथ रोकें, अपने फ़ैसले सुरक्षित करें, चुनें कि आपको क्या बताया जाए, और देखें कि आप कहाँ-कहाँ लॉग इन हैं।',
    sections: { login: 'लॉग इन', apps: 'अनुमतियाँ', notifications: 'सूचनाएँ' },
    stop: 'आपातकालीन रोक',
    stopHint: 'कुछ ग़लत हो तो एक टैप: अगले भुगतान से आपका कोई एजेंट न चुकाएगा, न पाएगा।',
    toPaused: 'रुके हुए एजेंट देखें, और तैयार होने पर हर एक को चलाएँ',
    noneActive: 'कोई एजेंट चालू नहीं था: सब पहले से रुके थे',
    stopAll: 'सभी एजेंट रोकें',
    stopText:
      'आपका हर चालू एजेंट तुरंत रुक जाएगा। उन्होंने पहले जो रक़म अलग रखी, वह दस मिनट और ली जा सकती है; फिर बाक़ी लौट आएगी। पैसा बैंक में अब भी निकाला जा सकता है। तैयार होने पर आप हर एजेंट को ख़ुद चलाएँ।',
    areStopped: count => plural.hi(count, { one: '# एजेंट रुक गया', other: '# एजेंट रुक गए' }),
    loading: 'आपके सत्र आ रहे हैं…',
    sessions: 'सत्र',
    browser: 'ब्राउज़र',
    unknown: 'अनजान ब्राउज़र',
    current: 'यही वाला',
    network: 'नेटवर्क',
    opened: 'खोला गया',
    used: 'पिछली बार',
    act: 'काम',
    end: 'ख़त्म करें',
    endOne: browser => `${browser} का सत्र ख़त्म करें`,
    endHint: 'जो इसे इस्तेमाल कर रहा है, उसे फिर लॉग इन करना होगा। तब तक उस ब्राउज़र में सूचनाएँ नहीं आएँगी।',
    ended: 'सत्र ख़त्म हो गया',
    endOthers: 'बाक़ी सब ख़त्म करें',
    endOthersHint: 'और जहाँ भी कोई आपके नाम से लॉग इन है, उसे फिर लॉग इन करना होगा। यह सत्र चलता रहेगा।',
    othersEnded: count => plural.hi(count, { one: '# सत्र ख़त्म हुआ', other: '# सत्र ख़त्म हुए' }),
  },
})
