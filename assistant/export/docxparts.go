package export

// The parts of a DOCX file that do not depend on the result, but for %s.
const (
	xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

	nsPackage  = `http://schemas.openxmlformats.org/package/2006`
	nsOffice   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	nsWord     = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	typeWord   = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
	docxTypes  = xmlHead + `<Types xmlns="` + nsPackage + `/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` + typeOverrides + `</Types>`
	docxRels   = xmlHead + `<Relationships xmlns="` + nsPackage + `/relationships"><Relationship Id="rId1" Type="` + nsOffice + `/officeDocument" Target="word/document.xml"/><Relationship Id="rId2" Type="` + nsPackage + `/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`
	docxCore   = xmlHead + `<cp:coreProperties xmlns:cp="` + nsPackage + `/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>%s</dc:title><dc:language>%s</dc:language></cp:coreProperties>`
	docxFooter = xmlHead + `<w:ftr ` + nsWord + `><w:p><w:pPr><w:pStyle w:val="Footer"/></w:pPr><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple><w:r><w:t xml:space="preserve"> / </w:t></w:r><w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:ftr>`

	typeOverrides = `<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="` + typeWord + `document.main+xml"/>` +
		`<Override PartName="/word/styles.xml" ContentType="` + typeWord + `styles+xml"/>` +
		`<Override PartName="/word/numbering.xml" ContentType="` + typeWord + `numbering+xml"/>` +
		`<Override PartName="/word/settings.xml" ContentType="` + typeWord + `settings+xml"/>` +
		`<Override PartName="/word/footer1.xml" ContentType="` + typeWord + `footer+xml"/>`

	docxDocumentRels = xmlHead + `<Relationships xmlns="` + nsPackage + `/relationships">` +
		`<Relationship Id="rId1" Type="` + nsOffice + `/styles" Target="styles.xml"/>` +
		`<Relationship Id="rId2" Type="` + nsOffice + `/numbering" Target="numbering.xml"/>` +
		`<Relationship Id="rId3" Type="` + nsOffice + `/settings" Target="settings.xml"/>` +
		`<Relationship Id="rId4" Type="` + nsOffice + `/footer" Target="footer1.xml"/></Relationships>`

	// compatibilityMode 15 is Word 2013 and later; without it Word opens the file in
	// the layout of 2007.
	docxSettings = xmlHead + `<w:settings ` + nsWord + `><w:characterSpacingControl w:val="compressPunctuation"/><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`

	docxHead = xmlHead + `<w:document ` + nsWord + ` xmlns:r="` + nsOffice + `"><w:body>`
	// A4 is 210 by 297 mm, 11906 by 16838 twentieths of a point; the margins are 20 mm.
	docxTail = `<w:sectPr><w:footerReference w:type="default" r:id="rId4"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>`

	docxNumbering = xmlHead + `<w:numbering ` + nsWord + `><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="hybridMultilevel"/>` +
		`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="340" w:hanging="255"/></w:pPr></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="–"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="680" w:hanging="255"/></w:pPr></w:lvl>` +
		`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`

	// Sizes are in half points, distances in twentieths of a point. The East-Asian font
	// is on Windows, and with Office on a Mac; elsewhere the nearest one is taken.
	docxStyles = xmlHead + `<w:styles ` + nsWord + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Microsoft YaHei" w:cs="Calibri"/><w:sz w:val="21"/><w:szCs w:val="21"/><w:lang w:val="en-US" w:eastAsia="zh-CN"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:after="100" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		paragraphStyles + tableStyles + characterStyles + `</w:styles>`

	paragraphStyles = `<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>` +
		based + `"Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:after="80" w:line="240" w:lineRule="auto"/></w:pPr><w:rPr><w:b/><w:color w:val="1F3A5F"/><w:sz w:val="36"/><w:szCs w:val="36"/></w:rPr></w:style>` +
		based + `"Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="300" w:after="100"/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:color w:val="1F3A5F"/><w:sz w:val="27"/><w:szCs w:val="27"/></w:rPr></w:style>` +
		based + `"Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="160" w:after="60"/><w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/><w:color w:val="1F3A5F"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr></w:style>` +
		based + `"ListBullet"><w:name w:val="List Bullet"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:spacing w:after="60"/></w:pPr></w:style>` +
		based + `"ListBullet2"><w:name w:val="List Bullet 2"/><w:basedOn w:val="Normal"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:spacing w:after="40"/></w:pPr></w:style>` +
		based + `"Quote"><w:name w:val="Quote"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:keepLines/><w:pBdr><w:left w:val="single" w:sz="12" w:space="8" w:color="C5CFDB"/></w:pBdr><w:spacing w:after="120" w:line="252" w:lineRule="auto"/><w:ind w:left="567"/></w:pPr><w:rPr><w:color w:val="404040"/><w:sz w:val="19"/><w:szCs w:val="19"/></w:rPr></w:style>` +
		based + `"LetterHead"><w:name w:val="Letter Head"/><w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:after="20"/></w:pPr></w:style>` +
		based + `"LetterSubject"><w:name w:val="Letter Subject"/><w:basedOn w:val="LetterHead"/><w:pPr><w:spacing w:after="140"/></w:pPr></w:style>` +
		based + `"Letter"><w:name w:val="Letter"/><w:basedOn w:val="Normal"/><w:pPr><w:pBdr><w:left w:val="single" w:sz="12" w:space="8" w:color="1F3A5F"/></w:pBdr><w:shd w:val="clear" w:color="auto" w:fill="F4F6F9"/><w:spacing w:after="0"/><w:ind w:left="227"/></w:pPr></w:style>` +
		based + `"LetterEnd"><w:name w:val="Letter End"/><w:basedOn w:val="Letter"/><w:pPr><w:spacing w:after="140"/></w:pPr></w:style>` +
		based + `"Rule"><w:name w:val="Rule"/><w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:pBdr><w:bottom w:val="single" w:sz="4" w:space="1" w:color="A6A6A6"/></w:pBdr><w:spacing w:before="200" w:after="80" w:line="120" w:lineRule="exact"/></w:pPr></w:style>` +
		based + `"Coverage"><w:name w:val="Coverage"/><w:basedOn w:val="Normal"/><w:pPr><w:spacing w:after="40"/></w:pPr>` + smallGrey + `</w:style>` +
		based + `"CoverageBullet"><w:name w:val="Coverage Bullet"/><w:basedOn w:val="ListBullet"/><w:pPr><w:spacing w:after="20"/></w:pPr>` + smallGrey + `</w:style>` +
		based + `"CoverageBullet2"><w:name w:val="Coverage Bullet 2"/><w:basedOn w:val="ListBullet2"/><w:pPr><w:spacing w:after="20"/></w:pPr>` + smallGrey + `</w:style>` +
		based + `"TableText"><w:name w:val="Table Text"/><w:basedOn w:val="Normal"/><w:pPr><w:spacing w:before="40" w:after="40" w:line="252" w:lineRule="auto"/></w:pPr><w:rPr><w:sz w:val="19"/><w:szCs w:val="19"/></w:rPr></w:style>` +
		based + `"TableHead"><w:name w:val="Table Head"/><w:basedOn w:val="TableText"/><w:pPr><w:keepNext/></w:pPr><w:rPr><w:b/></w:rPr></w:style>` +
		based + `"TableQuote"><w:name w:val="Table Quote"/><w:basedOn w:val="TableText"/><w:rPr><w:color w:val="404040"/><w:sz w:val="17"/><w:szCs w:val="17"/></w:rPr></w:style>` +
		based + `"TableEnd"><w:name w:val="Table End"/><w:basedOn w:val="Normal"/><w:pPr><w:spacing w:after="0" w:line="120" w:lineRule="exact"/></w:pPr></w:style>` +
		based + `"Footer"><w:name w:val="footer"/><w:basedOn w:val="Normal"/><w:pPr><w:spacing w:after="0"/><w:jc w:val="center"/></w:pPr>` + smallGrey + `</w:style>`

	based     = `<w:style w:type="paragraph" w:styleId=`
	smallGrey = `<w:rPr><w:color w:val="595959"/><w:sz w:val="18"/><w:szCs w:val="18"/></w:rPr>`

	tableStyles = `<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="100" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="100" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>` +
		`<w:style w:type="table" w:styleId="TodoTable"><w:name w:val="Todo Table"/><w:basedOn w:val="TableNormal"/><w:tblPr><w:tblBorders>` +
		`<w:top w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/><w:left w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/><w:bottom w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/><w:right w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/><w:insideH w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/><w:insideV w:val="single" w:sz="4" w:space="0" w:color="A6B3C2"/>` +
		`</w:tblBorders></w:tblPr><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="E3E9F1"/></w:tcPr></w:tblStylePr></w:style>`

	characterStyles = `<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/></w:style>` +
		`<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:qFormat/><w:rPr><w:b/></w:rPr></w:style>` +
		`<w:style w:type="character" w:styleId="Unconfirmed"><w:name w:val="Unconfirmed"/><w:rPr><w:color w:val="A33A00"/></w:rPr></w:style>` +
		`<w:style w:type="character" w:styleId="Place"><w:name w:val="Place"/><w:rPr><w:color w:val="595959"/><w:sz w:val="17"/><w:szCs w:val="17"/></w:rPr></w:style>`
)
