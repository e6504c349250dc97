// SPDX-License-Identifier: MIT

package duet

const sysGetcpu = 168
