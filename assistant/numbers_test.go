package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFactsOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"预算350万", []string{"3500000"}},
		{"3.5 million", []string{"3500000"}},
		{"3,500,000 yuan", []string{"3500000"}},
		{"三百五十万", []string{"3500000"}},
		{"３５０万元", []string{"3500000"}},
		{"3.5M budget", []string{"3500000"}},
		{"0.035亿", []string{"3500000"}},
		{"一百七十二", []string{"172"}},
		{"一万二千枚", []string{"12000"}},
		{"一万两千枚", []string{"12000"}},
		{"二百一十二万", []string{"2120000"}},
		{"两千零五", []string{"2005"}},
		{"二零二六", []string{"2026"}},
		{"三点五万", []string{"35000"}},
		{"-2.5 %", []string{"-2.5%"}},
		{"2.5%", []string{"2.5%"}},
		{"2.5 percent", []string{"2.5%"}},
		{"百分之二点五", []string{"2.5%"}},
		{"百分之负三", []string{"-3%"}},
		{"百分之五", []string{"5%"}},
		{"3月15日", []string{"03-15"}},
		{"三月十五号", []string{"03-15"}},
		{"March 15", []string{"03-15"}},
		{"15 March 2026", []string{"03-15"}},
		{"15/3", []string{"03-15"}},
		{"3/15", []string{"03-15"}},
		{"2026-03-15", []string{"03-15"}},
		{"二十号之前", []string{"day 20"}},
		{"by the 20th", []string{"day 20"}},
		{"Q3", []string{"Q3"}},
		{"第三季度", []string{"Q3"}},
		{"the third quarter", []string{"Q3"}},
		{"20 thousand", []string{"20000"}},
		{"20k", []string{"20000"}},
		{"1.2 billion", []string{"1200000000"}},
		{"12亿", []string{"1200000000"}},
		{"一个人来了两次", nil},
		{"no figures", nil},
	} {
		var got []string
		for _, f := range factsOf(tt.text) {
			got = append(got, f.value)
		}
		assert.Equal(t, tt.want, got, tt.text)
	}
}

func FuzzFactsOf(f *testing.F) {
	f.Add("350万 三月十五 -2.5 % 百分之点")
	f.Fuzz(func(t *testing.T, text string) { factsOf(text) })
}
